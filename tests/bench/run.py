"""Benchmarks: ``python tests/bench/run.py NAME...``, ``--list`` or ``--all``.

Prints one JSON object a line: name, value, unit, n, and where there is a peer: peer, peer_value, ratio.
Values are medians, or the percentile that the name says. Each module beside this one offers BENCHES, a
dict of name -> function; several names may come from one measurement, which is then made once.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent.parent))

Bench = Callable[[], dict[str, Any]]


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def benches() -> dict[str, Bench]:
    found: dict[str, Bench] = {}
    for path in sorted(HERE.glob("*.py")):
        if path.name != Path(__file__).name:
            found.update(getattr(load(path), "BENCHES", {}))
    return found


def run(names: Iterable[str], known: dict[str, Bench]) -> int:
    failed = 0
    for name in names:
        try:
            print(json.dumps(known[name]()), flush=True)
        except Exception as error:  # noqa: BLE001  one benchmark's failure must not hide the others
            failed += 1
            print(
                json.dumps({"name": name, "error": f"{type(error).__name__}: {error}"}), flush=True
            )
    return 1 if failed else 0


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("--all", action="store_true", help="run every benchmark")
    args = parser.parse_args(argv)
    known = benches()
    if args.list:
        print("\n".join(sorted(known)))
        return 0
    names = sorted(known) if args.all else args.names
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        parser.error(f"no such benchmark: {', '.join(unknown)}" if unknown else "name a benchmark")
    return run(names, known)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
