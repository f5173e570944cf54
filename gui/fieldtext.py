"""Profile fields as the text of a form, and back. Pure; wrong text is told as InvalidInput."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication

from core.errors import InvalidInput
from core.profiles import Driver, Profile

Reader = Callable[[str, str], Any]


def to_text(profile: Profile, name: str) -> str:
    value = getattr(profile, name)
    if name in ("script_args", "extra_args"):
        return shlex.join(value)
    if name == "env":
        return "\n".join(f"{key}={item}" for key, item in value.items())
    if name == "blacklist_cooldown":
        return f"{value[0]} {value[1]}"
    return "" if value is None else str(value)


def from_text(name: str, text: str) -> Any:
    """Raises InvalidInput, its field is ``name``."""
    return _READERS[name](name, text.strip())


def _text(_name: str, text: str) -> str:
    return text


def _count(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        sentence = QCoreApplication.translate("FieldText", "Type a whole number.")
        raise InvalidInput(name, sentence) from None


def _optional_count(name: str, text: str) -> int | None:
    return _count(name, text) if text else None


def _words(name: str, text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        sentence = QCoreApplication.translate(
            "FieldText", "A quotation mark is left open. Close it."
        )
        raise InvalidInput(name, sentence) from None


def _env(name: str, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        key, equals, value = line.strip().partition("=")
        if not line.strip():
            continue
        if not equals or not key.strip():
            sentence = QCoreApplication.translate("FieldText", "Line {0}: write it as NAME=value.")
            raise InvalidInput(name, sentence.format(number))
        found[key.strip()] = value
    return found


def _cooldown(name: str, text: str) -> tuple[int, int]:
    numbers = text.replace(",", " ").split()
    if len(numbers) != 2:
        sentence = QCoreApplication.translate(
            "FieldText", "Type two whole numbers, such as 10 120."
        )
        raise InvalidInput(name, sentence)
    return _count(name, numbers[0]), _count(name, numbers[1])


def _driver(_name: str, text: str) -> Driver:
    return Driver(text)


_READERS: dict[str, Reader] = {
    "name": _text,
    "machine": _text,
    "python": _text,
    "workdir": _text,
    "script": _text,
    "script_args": _words,
    "np": _count,
    "min_np": _count,
    "max_np": _optional_count,
    "ssh_port": _optional_count,
    "ssh_identity": _text,
    "network_interface": _text,
    "elastic_timeout": _count,
    "start_timeout": _count,
    "reset_limit": _optional_count,
    "blacklist_cooldown": _cooldown,
    "gloo_timeout": _optional_count,
    "driver": _driver,
    "env": _env,
    "extra_args": _words,
}
