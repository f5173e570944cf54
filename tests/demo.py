"""The rehearsal, for ``make demo``: the window on a display; without one, the same demo off screen.

Off screen it starts on two hosts, drags in a third, drags out the host of rank 0, lets the training
finish, exports the model, and leaves screenshots, the curves and the SavedModel in a folder that it names.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
for folder in (ROOT, ROOT / "tests"):
    sys.path.insert(0, str(folder))

PROFILE = "rehearsal"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--autostart", action="store_true", help="start the training at once")
    parser.add_argument(
        "--offscreen", action="store_true", help="play it, even where there is a display"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "demo-output", metavar="DIR")
    options = parser.parse_args(argv)
    if options.offscreen or not _has_display():
        return play(options.output)
    from gui.app import main as window

    print("Drag demo-3 into the job while it trains. Closing the window stops nothing.", flush=True)
    return window(["--profile", PROFILE, *(["--autostart"] if options.autostart else [])])


def _has_display() -> bool:
    return sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def play(output: Path) -> int:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from helpers.fakeprompter import FakePrompter
    from helpers.player import Player, Waited

    from gui.app import Options, make_app

    folder = output / time.strftime("%Y%m%d-%H%M%S")
    folder.mkdir(parents=True)
    print(f"No display: the demo is played off screen. Its results go to {folder}", flush=True)
    app = make_app([])
    prompter = FakePrompter(path=str(folder))
    player = Player(app, folder, prompter, Options(profile=PROFILE))
    try:
        perform(player, folder)
    except Waited as error:
        player.screenshot(folder / "failed.png")
        print(f"The demo failed: {error}", file=sys.stderr)
        return 1
    finally:
        player.close()
    print(f"Done. Look into {folder}", flush=True)
    return 0


def perform(player: Player, folder: Path) -> None:  # noqa: F821  imported by play, which sets Qt up first
    from core.events import RunState
    from gui import names

    began = time.monotonic()

    def say(text: str) -> None:
        print(f"  {time.monotonic() - began:5.1f} s  {text}", flush=True)

    def picture(name: str) -> None:
        player.screenshot(folder / f"{name}.png")

    say("Start on demo-1 and demo-2")
    player.start(2)
    say("training on 2 workers; the first points are drawn")
    player.batches(40)
    picture("1-two-hosts")
    say("drag demo-3 into the job")
    player.grow("demo-3")
    say(f"training on 3 workers; the card says: {', '.join(player.card('demo-3'))}")
    player.batches(60)
    picture("2-three-hosts")
    leaver = player.drop_rank_zero()
    say(
        f"dragged out {leaver}, which had rank 0: training on 2 workers, {player.rank_zero()} has rank 0 now"
    )
    player.batches(40)
    picture("3-without-the-first")
    for resize in player.view.resizes:
        say(_in_words(resize))
    say("wait for the end of the training")
    player.over(300)
    assert player.view.over is not None
    if player.view.over.outcome is not RunState.FINISHED:
        from helpers.player import Waited

        raise Waited(f"the run {player.view.over.outcome.value}: {player.view.over.reason}")
    say("finished; export the SavedModel")
    saved: list[str] = []
    player.application.wiring.export.saved.connect(saved.append)
    player.press(names.EXPORT_ACTION)
    player.wait(lambda: bool(saved), 120, "the export")
    say(player.prompter.texts[-1])
    picture("4-finished")
    curves = player.window.curves
    curves.save_png(folder / "curves.png")
    curves.save_svg(folder / "curves.svg")
    curves.save_csv(folder / "curves.csv")
    say(f"SavedModel in {saved[0]}, curves in curves.png, .svg and .csv")


def _in_words(resize) -> str:  # type: ignore[no-untyped-def]
    who = ", ".join([f"+{host}" for host in resize.joined] + [f"-{host}" for host in resize.left])
    cost = "?" if resize.requested is None else f"{resize.first_step - resize.requested:.1f} s"
    change = f"resize {resize.old_size} -> {resize.new_size} ({who})"
    return f"{change}: {cost}, {resize.repeated_steps} steps repeated"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
