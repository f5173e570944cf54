"""``work`` as a process, with scripts that use neither TensorFlow nor Horovod."""

from __future__ import annotations

import ast
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def run(
    script: Path | str,
    *args: str,
    cwd: Path = ROOT,
    program: tuple[str, ...] = ("-m", "trainer"),
    packages: str = "",
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *program, "work", "--", str(script), *args],
        cwd=cwd,
        env={
            "PATH": os.environ["PATH"],
            "HOROVOD_HOSTNAME": "demo-1",
            "HOROVOD_LOCAL_RANK": "3",
            "PYTHONPATH": packages,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def written(folder: Path, text: str, name: str = "train.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_that_the_first_line_says_who_this_worker_is(tmp_path: Path) -> None:
    result = run(written(tmp_path, "import os; print('pid', os.getpid())"))
    first, *others = result.stdout.splitlines()
    match = re.fullmatch(r"maypole-worker demo-1\[3\]\.[0-9a-f]{8} pid (\d+)", first)
    assert match is not None
    assert others[-1] == f"pid {match[1]}"


def test_that_a_script_runs_as_python_would_run_it(tmp_path: Path) -> None:
    written(tmp_path, "HELP = 'from beside the script'", "helper.py")
    script = written(
        tmp_path,
        "import pickle, sys, __main__\n"
        "import helper\n"
        "class Thing: pass\n"
        "assert type(pickle.loads(pickle.dumps(Thing()))) is Thing is __main__.Thing\n"
        "assert __name__ == '__main__' and __file__ == sys.argv[0]\n"
        "assert 'tensorflow' not in sys.modules and 'horovod' not in sys.modules\n"
        "print(helper.HELP, sys.argv[1:], sys.path[0])\n",
    )
    result = run(script, "--epochs", "3", "a b")
    assert result.returncode == 0, result.stderr
    assert f"from beside the script ['--epochs', '3', 'a b'] {tmp_path}" in result.stdout


@pytest.mark.parametrize(
    ("ending", "status", "words"),
    [
        ("", 0, ""),
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('no data')", 1, "no data"),
        ("raise SystemExit", 0, ""),
        ("import sys; sys.exit(('no', 'data'))", 1, "('no', 'data')"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero"),
        ("class Abort(BaseException): pass\nraise Abort('by hand')", 1, "Abort: by hand"),
    ],
)
def test_that_the_exit_status_is_the_scripts(
    tmp_path: Path, ending: str, status: int, words: str
) -> None:
    result = run(written(tmp_path, ending))
    assert result.returncode == status
    assert words in result.stderr
    assert "trainer" not in result.stderr.replace(str(tmp_path), "")


def test_that_a_script_behind_a_link_finds_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    written(tmp_path / "real", "HELP = 'from beside the file'", "helper.py")
    target = written(tmp_path / "real", "import helper\nprint(helper.HELP, __file__)\n")
    link = tmp_path / "link.py"
    link.symlink_to(target)
    result = run(link)
    assert result.returncode == 0, result.stderr
    assert f"from beside the file {link}" in result.stdout


@pytest.mark.parametrize("method", ["spawn", "fork", "forkserver"])
def test_that_a_script_may_start_processes_of_its_own(tmp_path: Path, method: str) -> None:
    script = written(
        tmp_path,
        "import multiprocessing\n"
        "def square(x):\n"
        "    return x * x\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context({method!r}).Pool(2) as pool:\n"
        "        print(pool.map(square, [1, 2, 3]))\n",
    )
    result = run(script)
    assert result.returncode == 0, result.stderr
    assert "[1, 4, 9]" in result.stdout and result.stdout.count("maypole-worker") == 1


def test_that_a_traceback_shows_the_script_and_not_us(tmp_path: Path) -> None:
    result = run(written(tmp_path, "def f():\n    raise KeyError('lost')\n\nf()\n"))
    assert "train.py" in result.stderr and "KeyError: 'lost'" in result.stderr
    assert "trainer" not in result.stderr.replace(str(tmp_path), "")


def test_that_a_syntax_error_names_the_line(tmp_path: Path) -> None:
    result = run(written(tmp_path, "print('a')\nprint(\n"))
    assert result.returncode == 1
    assert "train.py" in result.stderr and "line 2" in result.stderr


def test_that_a_missing_script_is_told_in_a_sentence(tmp_path: Path) -> None:
    result = run(tmp_path / "nowhere.py")
    assert result.returncode == 2
    assert "nowhere.py is not on this machine" in result.stderr
    assert "copy it there" in result.stderr
    assert "Traceback" not in result.stderr


def test_that_a_folder_and_an_unknown_training_are_refused(tmp_path: Path) -> None:
    assert "is a folder" in run(tmp_path).stderr
    assert "Try maypole:digits" in run("maypole:cats").stderr


def test_that_log_is_there_and_does_nothing_without_a_run(tmp_path: Path) -> None:
    script = written(tmp_path, "import maypole\nmaypole.log(step=1, loss=0.5)\nprint('logged')")
    result = run(script)
    assert result.returncode == 0, result.stderr
    assert "logged" in result.stdout and result.stderr == ""


def test_that_rank_and_size_are_known_with_a_horovod_that_is_not(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    (packages / "horovod" / "common").mkdir(parents=True)
    (packages / "horovod-0.27.0.dist-info").mkdir()
    for folder in (packages / "horovod", packages / "horovod" / "common"):
        written(folder, "", "__init__.py")
    written(packages / "horovod-0.27.0.dist-info", "Name: horovod\nVersion: 0.27.0\n", "METADATA")
    written(
        packages / "horovod" / "common",
        "class HorovodBasics:\n"
        "    def init(self): pass\n"
        "    def shutdown(self): pass\n"
        "    def is_initialized(self): return True\n"
        "    def rank(self): return 1\n"
        "    def size(self): return 2\n",
        "basics.py",
    )
    script = written(
        tmp_path,
        "from horovod.common.basics import HorovodBasics\n"
        "from trainer.work.session import current\n"
        "HorovodBasics().init()\n"
        "print('place', current().world.place)\n",
    )
    result = run(script, packages=str(packages))
    assert result.returncode == 0, result.stderr
    assert "Horovod 0.27.0 is not the one" in result.stdout and "place (1, 2)" in result.stdout


def test_that_core_dumps_are_off(tmp_path: Path) -> None:
    text = "import resource\nprint('core', resource.getrlimit(resource.RLIMIT_CORE)[0])"
    assert resource.RLIMIT_CORE is not None
    assert "core 0" in run(written(tmp_path, text)).stdout


def zipped(folder: Path) -> Path:
    bundle = folder / "maypole.pyz"
    with zipfile.ZipFile(bundle, "w") as archive:
        for path in sorted((ROOT / "trainer").rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, Path("maypole") / path.relative_to(ROOT / "trainer"))
        archive.writestr(
            "__main__.py",
            "import sys\nfrom maypole.__main__ import main\nsys.exit(main(sys.argv[1:]))",
        )
    return bundle


def test_that_it_works_from_inside_a_zip_where_we_are_called_maypole(tmp_path: Path) -> None:
    bundle = zipped(tmp_path)
    script = written(
        tmp_path,
        "import maypole, sys\n"
        "from maypole.data import digits\n"
        "print(maypole.__name__, 'trainer' in sys.modules, digits.load()[0][0].shape)\n",
    )
    result = run(script, cwd=tmp_path, program=(str(bundle),))
    assert result.returncode == 0, result.stderr
    assert "maypole False (1437, 8, 8, 1)" in result.stdout


def test_that_no_module_asks_for_its_package_while_it_is_imported() -> None:
    """From a zip, Python 3.8 and 3.9 set __package__ only afterwards."""
    for path in (ROOT / "trainer").rglob("*.py"):
        for statement in ast.parse(path.read_text()).body:
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.If)):
                names = {each.id for each in ast.walk(statement) if isinstance(each, ast.Name)}
                assert "__package__" not in names, path


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.10"])
def test_that_older_pythons_run_a_script_from_the_zip(tmp_path: Path, version: str) -> None:
    python = shutil.which(f"python{version}")
    if python is None or subprocess.run([python, "-c", ""], capture_output=True).returncode:
        pytest.skip(f"there is no Python {version} on this machine")
    bundle = zipped(tmp_path)
    script = written(tmp_path, "import maypole\nmaypole.log(loss=1)\n1 / 0\n")
    words = [python, bundle.name, "work", "--", str(script)]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "ZeroDivisionError" in result.stderr and "line 3" in result.stderr
    assert "maypole/" not in result.stderr


@pytest.mark.parametrize("shells", [0, 1, 2])
def test_that_a_worker_leaves_when_its_driver_is_gone(tmp_path: Path, shells: int) -> None:
    """The driver is a Python; shells stand between, as ssh and horovodrun put them there."""
    script = written(
        tmp_path,
        "import os, pathlib, signal, subprocess, time\n"
        "child = subprocess.Popen(['sleep', '300'])\n"
        "if os.fork() == 0:\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    pathlib.Path('stubborn').write_text(str(os.getpid()))\n"
        "    time.sleep(300)\n"
        "while not os.path.exists('stubborn') or not pathlib.Path('stubborn').read_text():\n"
        "    time.sleep(0.01)\n"
        "pathlib.Path('pid').write_text(f'{os.getpid()} {child.pid}')\n"
        "os.rename('pid', 'ready')\n"
        "time.sleep(300)\n",
    )
    command = f"{sys.executable} -m trainer work -- {script}"
    for _ in range(shells):
        command = f"sh -c '{command}; true'" if "'" not in command else f'sh -c "{command}; true"'
    driver = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import subprocess, shlex; subprocess.run(shlex.split({command!r}))",
        ],
        cwd=tmp_path,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOROVOD_GLOO_RENDEZVOUS_ADDR": "127.0.0.1",
        },
    )
    ready = tmp_path / "ready"
    wait_until(ready.exists)
    pids = [
        int(word) for word in f"{ready.read_text()} {(tmp_path / 'stubborn').read_text()}".split()
    ]
    assert all(is_alive(pid) for pid in pids)
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    wait_until(lambda: not any(is_alive(pid) for pid in pids))


def wait_until(condition: object, seconds: float = 20.0) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_that_the_example_is_the_script_that_is_tested() -> None:
    example = ROOT / "docs" / "examples" / "elastic_keras_guide.py"
    assert example.read_text() == (ROOT / "tests" / "data" / "guide_script.py").read_text()
    assert "maypole" not in example.read_text().lower()
