"""What the commands do. Each gives an exit status and raises MaypoleError."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path

from core import bundle, launch, profilefile, profiles
from core import runs as core_runs
from core.errors import ExportError, InvalidInput, RunError
from core.events import CommandReply, ExportProgress, Record, RunState, Stage
from core.export import fetch_export, final_export, free_destination
from core.home import home_on, local_home
from core.hosts import parse_hosts
from core.localmachine import LocalMachine
from core.machine import Machine, Progress
from core.machines import open_machine
from core.runs import RunSummary
from core.runview import ExportView

from . import FAILED, INTERRUPTED, OK, WRONG_INPUT, text
from .follow import Following, Printer


def run(options: Namespace) -> int:
    profile = profilefile.find(options.profile, local_home())
    machine = open_machine(profile.machine)
    home, packed = home_on(machine), bundle.build()
    found = profiles.problems(profile, home, packed)
    for problem in found:
        print(f"maypole: {problem.field}: {problem.text}", file=sys.stderr)
    if found:
        return WRONG_INPUT
    spec = profiles.to_spec(profile, home, packed)
    started = launch.launch(machine, spec, home, packed)
    if options.detach:
        _started(options, started)
        return OK
    print(f"Run {started.run_id} in {started.run_dir}", file=sys.stderr, flush=True)
    following = Following(machine, spec.python, packed.path(home), started.run_dir)
    return _follow(following, started.run_id, Printer(options.json, options.log))


def _started(options: Namespace, started: launch.StartedRun) -> None:
    if options.json:
        print(json.dumps({"run_id": started.run_id, "run_dir": started.run_dir}))
    else:
        print(f"Run {started.run_id} in {started.run_dir}\n{_how_to(started.run_id)}")


def _how_to(run_id: str) -> str:
    return f"Follow it: maypole attach {run_id}\nStop it:   maypole stop {run_id}"


def attach(options: Namespace) -> int:
    machine, summary = _find(options.run)
    following = _following(machine, summary)
    return _follow(following, summary.run_id, Printer(options.json, options.log))


def _follow(following: Following, run_id: str, printer: Printer) -> int:
    """To the end of the run. Ctrl-C leaves it alone."""
    try:
        with following:
            for event in following:
                printer.show(event, following)
    except KeyboardInterrupt:
        print(f"\nDetached; the run goes on.\n{_how_to(run_id)}", file=sys.stderr)
        return INTERRUPTED
    return OK if following.view.state.state is RunState.FINISHED else FAILED


def _find(name: str) -> tuple[Machine, RunSummary]:
    machine = LocalMachine()
    return machine, core_runs.find_run(machine, home_on(machine), name)


def _following(machine: Machine, summary: RunSummary) -> Following:
    home, packed = home_on(machine), bundle.build()
    return Following(machine, summary.spec.python, packed.put(machine, home), summary.run_dir)


def runs(options: Namespace) -> int:
    machine = LocalMachine()
    home = home_on(machine)
    found = core_runs.list_runs(machine, home)
    if options.json:
        for summary in found:
            print(json.dumps(_fields(summary), ensure_ascii=False))
        return OK
    if not found:
        print(f"No run in {home.runs} yet. Start one with: maypole run rehearsal")
        return OK
    width = max(len(summary.run_id) for summary in found)
    for summary in found:
        hosts = len(summary.spec.hosts)
        print(
            f"{summary.run_id:{width}}  {text.state(summary):9}  {text.date(summary.spec.created)}"
            f"  {hosts} host{'s' * (hosts != 1)}  {summary.spec.name}  {summary.spec.script}"
        )
    hint = text.watch_hint(found)
    if hint:
        print(hint, file=sys.stderr)
    return OK


def _fields(summary: RunSummary) -> dict[str, object]:
    return {
        "run_id": summary.run_id,
        "run_dir": summary.run_dir,
        "state": summary.state.value,
        "watch": summary.watch.value,
        "name": summary.spec.name,
        "script": summary.spec.script,
        "created": summary.spec.created,
        "updated": summary.updated,
    }


def hosts(options: Namespace) -> int:
    wanted = parse_hosts(options.hosts)
    machine, summary = _find(options.run)
    with _following(machine, summary) as following:
        if not wanted:
            return _show_hosts(following)
        _refuse_if_over(summary)
        id = following.client.set_hosts(wanted, confirmed=options.yes)
        try:
            following.reply(id, Printer(json=False, log=False, history=False))
        except RunError as error:
            if sum(wanted.values()) < summary.spec.min_np and not options.yes:
                raise RunError(f"{error.text} Say it again with --yes.") from error
            raise
    print("Asked for " + ", ".join(f"{name}:{slots}" for name, slots in wanted.items()))
    return OK


def _show_hosts(following: Following) -> int:
    for _ in following:
        if following.live:
            break
    for host in following.view.hosts:
        ranks = f"  rank {', '.join(map(str, host.ranks))}" if host.ranks else ""
        reason = f"  {host.reason}" if host.reason else ""
        print(f"{host.name}:{host.slots}  {host.state.value}{ranks}{reason}")
    return OK


def _refuse_if_over(summary: RunSummary) -> None:
    if summary.over:
        raise RunError(f"Run {summary.run_id} is over ({summary.state.value}). Start a new one.")


def stop(options: Namespace) -> int:
    machine, summary = _find(options.run)
    if summary.over:
        print(f"Run {summary.run_id} is over already ({summary.state.value}).")
        return OK
    printer = Printer(options.json, options.log, history=False)
    with _following(machine, summary) as following:
        id = following.client.stop_run(now=options.now)
        for event in following:
            printer.show(event, following)
            if isinstance(event, CommandReply) and event.id == id and not event.ok:
                raise RunError(event.error or "The run refused to stop.")
    return OK


def export(options: Namespace) -> int:
    folder = Path(options.folder).expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise InvalidInput("DIR", f"{folder} is a file. Name a folder for the SavedModel.")
    machine, summary = _find(options.run)
    printer = Printer(options.json, options.log, history=False)
    with _following(machine, summary) as following:
        ready = _ready_export(following, printer)
    destination = free_destination(folder, f"{summary.run_id}-step{ready.step}")
    fetched = fetch_export(machine, ready, destination, _fetch_progress(), lambda: False)
    difference = ready.max_difference
    verified = "" if difference is None else f", predictions differ by at most {difference:.3g}"
    print(
        f"{fetched.path}: {fetched.files} files, {text.size(fetched.size_bytes)}, "
        f"step {ready.step}{verified}",
        file=sys.stderr if options.json else sys.stdout,
    )
    return OK


def _ready_export(following: Following, printer: Printer) -> ExportView:
    """A run that is over may have its last export already; else one is asked for and awaited."""
    for _ in following:
        if following.live:
            break
    final = final_export(following.view)
    if final is not None:
        return final
    was_over = following.view.over is not None
    reply = following.reply(following.client.export(), printer)
    request = str(reply.value.get("request", ""))
    while True:
        view = following.view.export(request) or final_export(following.view)
        if view is not None and view.stage is Stage.READY:
            return view
        if view is not None and view.stage is Stage.FAILED:
            raise ExportError(f"The export failed: {view.text or 'no reason was given.'}")
        if not _next_export_event(following, printer) and not was_over:
            raise ExportError("The run ended before the export was written. Export it again.")


def _next_export_event(following: Following, printer: Printer) -> bool:
    """Whether another ExportProgress came before the run's end."""
    for event in following:
        printer.show(event, following)
        if isinstance(event, Record) and isinstance(event.event, ExportProgress):
            return True
    return False


def _fetch_progress() -> Progress:
    def show(done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\n" if done == total else ""
            print(
                f"\r{text.size(done)} of {text.size(total)}", end=end, file=sys.stderr, flush=True
            )

    return show
