"""The main job by a real mouse, in a process of its own: Qt's platform is chosen once a process.

Arguments: a folder for the run, a folder for the pictures. Prints the facts as a line of JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
for folder in (ROOT, ROOT / "tests"):
    sys.path.insert(0, str(folder))

from helpers import mainjob  # noqa: E402
from helpers.fakeprompter import FakePrompter  # noqa: E402
from helpers.mouse import MousePlayer  # noqa: E402

from gui.app import Options, make_app  # noqa: E402


def main(folder: Path, pictures: Path) -> int:
    app = make_app([])
    player = MousePlayer(app, folder, FakePrompter(path=str(folder)), Options(profile="rehearsal"))
    player.window.move(0, 0)
    try:
        facts = mainjob.perform(player, pictures, "xvfb-")
        left = player.view.over.left_behind if player.view.over else ["?"]
        screen = app.primaryScreen().grabWindow(0)
        screen.save(str(pictures / "xvfb-screen.png"))
    finally:
        player.close()
    print(
        json.dumps(
            {
                "platform": app.platformName(),
                "sizes": facts.sizes,
                "steps": facts.steps,
                "repeated": facts.repeated,
                "outcome": facts.outcome.value if facts.outcome else "",
                "max_difference": facts.max_difference,
                "left_behind": left,
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
