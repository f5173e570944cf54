"""Profiles on disk: strict when reading, careful when writing.

Reading tells file, line and what to do. Writing keeps comments and order of a file that was edited by
hand, replaces it whole, and puts a file that cannot be read aside as ``<name>.broken-N``.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from trainer.rundir import write_atomically

from .errors import InvalidInput, ProfileError
from .home import Home
from .hosts import Host, check_unique
from .profiles import FORMAT, Driver, Profile, Strategy

SIZE_LIMIT = 1 << 20
"""Bytes of a profile."""
_AT_LINE = re.compile(r"\(at line (\d+)")


def builtin_names() -> list[str]:
    folder = resources.files("resources").joinpath("profiles")
    return sorted(item.name[:-5] for item in folder.iterdir() if item.name.endswith(".toml"))


def builtin(name: str) -> Profile:
    item = resources.files("resources").joinpath("profiles", f"{name}.toml")
    return parse(item.read_text(encoding="utf-8"), f"the built-in profile {name}")


def find(text: str, home: Home) -> Profile:
    """A profile by file name, by its name among the saved ones, or built in. Raises ProfileError."""
    saved = Path(home.profiles, f"{text}.toml")
    if "/" in text or text.endswith(".toml"):
        return load(Path(text).expanduser())
    if saved.is_file():
        return load(saved)
    if text in builtin_names():
        return builtin(text)
    known = ", ".join(builtin_names())
    raise ProfileError(
        "profile",
        f"There is no profile {text!r}: neither a file {saved} nor built in ({known}). "
        "Give a path that ends in .toml for a file elsewhere.",
    )


def load(path: Path) -> Profile:
    """Raises ProfileError."""
    return parse(_read(path), str(path))


def save(path: Path, profile: Profile) -> Path | None:
    """Writes ``profile``. Gives where an unreadable old file was put aside. Raises ProfileError."""
    from .profiletext import profile_text  # only who writes needs tomlkit

    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        old, aside = _old_text(target)
        write_atomically(target, profile_text(profile, old))
    except OSError as error:
        raise ProfileError(
            "profile", f"Cannot write {path}: {error.strerror or error}. Save it elsewhere."
        ) from error
    return aside


def _old_text(path: Path) -> tuple[str, Path | None]:
    if not path.exists():
        return "", None
    try:
        text = _read(path)
        parse(text, str(path))
    except ProfileError:
        return "", _put_aside(path)
    return text, None


def _put_aside(path: Path) -> Path:
    number = 1
    while (aside := path.with_name(f"{path.name}.broken-{number}")).exists():
        number += 1
    return path.rename(aside)


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise ProfileError(
            "profile", f"Cannot read the profile {path}: {error.strerror or error}."
        ) from error
    if len(data) > SIZE_LIMIT:
        raise ProfileError("profile", f"{path} is over 1 MB: it is no profile. Choose another.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise ProfileError("profile", f"{path}, line {line}: save it as UTF-8 text.") from error


def parse(text: str, source: str) -> Profile:
    """The profile of a file's text; ``source`` names it in errors. Raises ProfileError."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _AT_LINE.search(str(error))
        line = int(match[1]) if match else text.rstrip("\n").count("\n") + 1
        reason = str(error).partition(" (at ")[0]
        raise ProfileError(
            "profile", f"{source}, line {line}: {reason}. Correct this line and open it again."
        ) from error
    try:
        return _profile(raw)
    except InvalidInput as error:
        line = _line_of(text, error.field)
        raise ProfileError(error.field, f"{source}, line {line}: {error.text}") from error


def _line_of(text: str, key: str) -> int:
    pattern = re.compile(rf"^[ \t]*(?:\[\[?[ \t]*)?{re.escape(key)}\b", re.MULTILINE)
    match = pattern.search(text)
    return text.count("\n", 0, match.start()) + 1 if match else 1


def _profile(raw: dict[str, Any]) -> Profile:
    version = raw.pop("format", None)
    if version != FORMAT:
        raise InvalidInput(
            "format",
            f"this Maypole reads profiles with format = {FORMAT}, this one says {version!r}. "
            "Update Maypole, or correct the line.",
        )
    for key in raw:
        if key not in _READERS:
            raise InvalidInput(key, f"{key} is not a setting of a profile. Take it out.")
    values = {key: _READERS[key](key, value) for key, value in raw.items()}
    check_unique(values.get("hosts", ()))
    return Profile(**values)


def _typed(kind: type, words: str) -> Callable[[str, Any], Any]:
    def read(key: str, value: Any) -> Any:
        if type(value) is not kind:
            raise InvalidInput(key.partition(":")[0], f"{key} must be {words}, not {value!r:.60}.")
        return value

    return read


_text = _typed(str, 'text in quotes, such as "text"')
_count = _typed(int, "a whole number")
_flag = _typed(bool, "true or false")
_list = _typed(list, "a list in square brackets")
_table = _typed(dict, "a table")


def _words(key: str, value: Any) -> tuple[str, ...]:
    return tuple(_text(key, word) for word in _list(key, value))


def _env(key: str, value: Any) -> dict[str, str]:
    return {name: _text(key, item) for name, item in _table(key, value).items()}


def _cooldown(key: str, value: Any) -> tuple[int, int]:
    numbers = [_count(key, item) for item in _list(key, value)]
    if len(numbers) != 2:
        raise InvalidInput(key, f"{key} must be two whole numbers, such as [10, 120].")
    return numbers[0], numbers[1]


def _choice(kind: type[Strategy] | type[Driver]) -> Callable[[str, Any], Any]:
    def read(key: str, value: Any) -> Any:
        if value not in list(kind):
            known = " or ".join(f'"{item.value}"' for item in kind)
            raise InvalidInput(key, f"{key} must be {known}, not {value!r:.60}.")
        return kind(value)

    return read


def _hosts(key: str, value: Any) -> tuple[Host, ...]:
    return tuple(_host(key, _table(key, item)) for item in _list(key, value))


def _host(key: str, raw: Mapping[str, Any]) -> Host:
    readers = {"name": _text, "slots": _count, "tags": _words, "in_job": _flag}
    for name in raw:
        if name not in readers:
            raise InvalidInput(key, f"{name} is not a setting of a host. Take it out.")
    if "name" not in raw:
        raise InvalidInput(key, 'a host needs a name = "...".')
    return Host(**{name: readers[name](f"{key}: {name}", item) for name, item in raw.items()})


_READERS: dict[str, Callable[[str, Any], Any]] = {
    "name": _text,
    "machine": _text,
    "strategy": _choice(Strategy),
    "python": _text,
    "workdir": _text,
    "script": _text,
    "script_args": _words,
    "np": _count,
    "min_np": _count,
    "max_np": _count,
    "ssh_port": _count,
    "ssh_identity": _text,
    "network_interface": _text,
    "elastic_timeout": _count,
    "start_timeout": _count,
    "reset_limit": _count,
    "blacklist_cooldown": _cooldown,
    "gloo_timeout": _count,
    "driver": _choice(Driver),
    "rehearsal": _flag,
    "env": _env,
    "extra_args": _words,
    "hosts": _hosts,
}
assert set(_READERS) == {field.name for field in dataclasses.fields(Profile)}
