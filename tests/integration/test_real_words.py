"""What a person types reaches the script letter by letter, through horovodrun, ssh and their shells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.realrun import real_run

from trainer.events import RunState

pytestmark = [pytest.mark.horovod, pytest.mark.timeout(240)]

SCRIPT = """
import json, os, sys

with open("said-" + os.environ["HOROVOD_RANK"], "w") as file:
    json.dump([sys.argv[1:], os.environ["GREETING"]], file)
"""
WORDS = ("a b", "$HOME", "'", '"', "*", ";", "`x`", "\\", "ü", "", "--", "-np")
GREETING = 'it\'s $HOME "ü"  two'


@pytest.mark.parametrize("driver", ["drive", "stock"])
def test_that_words_and_folders_with_shell_signs_arrive_as_they_are(
    tmp_path: Path, driver: str
) -> None:
    home = tmp_path / "home with 'ü\" $x"
    home.mkdir()
    work = tmp_path / "plain"  # Horovod itself cannot use a working directory with shell signs
    work.mkdir()
    (work / "my script.py").write_text(SCRIPT)
    with real_run(home) as run:
        run.start(
            workdir=str(work),
            script="my script.py",
            script_args=WORDS,
            env=run.spec().env | {"GREETING": GREETING},
            driver=driver,
        )
        over = run.wait_over()
    assert (over.outcome, over.left_behind) == (RunState.FINISHED, [])
    for rank in range(2):
        assert json.loads((work / f"said-{rank}").read_text()) == [list(WORDS), GREETING]
