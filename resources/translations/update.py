"""Collects every text of the window into the catalogues and compiles them. Say: make translations.

maypole_ko.ts is the Korean; maypole_en.ts only tells singular from plural. --check changes nothing and
fails when a text is missing, unfinished, or not compiled.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LANGUAGES = {"ko": (), "en": ("-pluralonly",)}


def sources() -> list[str]:
    found = sorted((ROOT / "gui").rglob("*.py"))
    return [str(path) for path in found if "cli" not in path.relative_to(ROOT).parts]


def tool(name: str) -> str:
    """Beside this interpreter first: make's environment is not on PATH."""
    beside = Path(sys.executable).with_name(f"pyside6-{name}")
    return str(beside) if beside.exists() else f"pyside6-{name}"


def run(*argv: str) -> None:
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{argv[0]} failed:\n{done.stdout}{done.stderr}")


def collect(folder: Path) -> None:
    for language, flags in LANGUAGES.items():
        target = folder / f"maypole_{language}.ts"
        run(
            tool("lupdate"), "-no-obsolete", "-locations", "none", "-source-language", "en",
            "-target-language", language, *flags, *sources(), "-ts", str(target),
        )  # fmt: skip


def compile_all(folder: Path, to: Path) -> None:
    for language in LANGUAGES:
        name = f"maypole_{language}"
        run(tool("lrelease"), "-silent", str(folder / f"{name}.ts"), "-qm", str(to / f"{name}.qm"))


def texts(path: Path) -> dict[tuple[str, str, str], bool]:
    """(context, source, comment) -> whether it is translated."""
    found = {}
    for context in ET.parse(path).getroot().iter("context"):
        name = context.findtext("name", "")
        for message in context.iter("message"):
            translation = message.find("translation")
            assert translation is not None
            forms = [form.text for form in translation.iter("numerusform")] or [translation.text]
            done = translation.get("type") is None and all(forms)
            found[name, message.findtext("source", ""), message.findtext("comment", "")] = done
    return found


def complaints() -> list[str]:
    found = []
    with tempfile.TemporaryDirectory() as name:
        fresh = Path(name)
        for language in LANGUAGES:
            old = HERE / f"maypole_{language}.ts"
            (fresh / old.name).write_bytes(old.read_bytes())
        collect(fresh)
        compile_all(HERE, fresh)
        for language in LANGUAGES:
            path = HERE / f"maypole_{language}.ts"
            known = texts(path)
            found += [
                f"{language}: unfinished: {key[1]!r}" for key, done in known.items() if not done
            ]
            new = texts(fresh / path.name)
            found += [
                f"{language}: missing: {key[1]!r} in {key[0]}" for key in new if key not in known
            ]
            found += [
                f"{language}: not used any more: {key[1]!r}" for key in known if key not in new
            ]
            compiled = HERE / f"maypole_{language}.qm"
            if (
                not compiled.exists()
                or compiled.read_bytes() != (fresh / compiled.name).read_bytes()
            ):
                found.append(f"{compiled.name} is not compiled from its .ts")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    if parser.parse_args().check:
        found = complaints()
        print("\n".join(found))
        return 1 if found else 0
    collect(HERE)
    compile_all(HERE, HERE)
    waiting = [key for key, done in texts(HERE / "maypole_ko.ts").items() if not done]
    print(f"{len(waiting)} texts wait for their Korean in {HERE / 'maypole_ko.ts'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
