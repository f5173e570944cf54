"""Runs by itself in the Python that is asked (`python -c`): prints facts about it as JSON.

No relative import, nothing newer than Python 3.6: an unsuitable Python must be able to say so.
"""

import importlib.util
import json
import sys
import sysconfig
from typing import Dict, List

REQUIREMENTS = ("pip", "setuptools", "wheel", "packaging", "cffi", "pyyaml", "psutil",
                "cloudpickle", "tf-keras", "horovod")  # fmt: skip


def folder(name: str) -> object:
    """Where a package would be imported from; found, not imported."""
    spec = importlib.util.find_spec(name)
    places = list(spec.submodule_search_locations or []) if spec else []
    return places[0] if places else None


def versions(names: List[str]) -> Dict[str, str]:
    try:
        from importlib import metadata
    except ImportError:  # Python 3.7 and older: will be refused for its version
        return {}
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def main() -> None:
    # With -c the current folder comes first; a folder named horovod in it is not the installed one.
    sys.path[:] = [entry for entry in sys.path if entry]
    threads = "t" if "t" in getattr(sys, "abiflags", "") else ""
    print(
        json.dumps(
            {
                "executable": sys.executable,
                "version": list(sys.version_info[:3]),
                "tag": "%s%d%d%s"
                % (
                    "cp" if sys.implementation.name == "cpython" else sys.implementation.name,
                    sys.version_info[0],
                    sys.version_info[1],
                    threads,
                ),
                "platform": sysconfig.get_platform().replace("-", "_").replace(".", "_"),
                "packages": versions(list(REQUIREMENTS) + sys.argv[1:]),
                "tensorflow_folder": folder("tensorflow"),
                "horovod_folder": folder("horovod"),
            }
        )
    )


main()
