"""`boxcars play`: referee and score a game from a source, and show it on a page."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boxcars.commands.opening import open_calibrated, open_journal, open_watcher
from boxcars.commands.options import (
    CalibrationOption,
    DataOption,
    HouseRuleOption,
    JsonOption,
    house_rules,
)
from boxcars.console import (
    ExitCode,
    Refusal,
    advance,
    now_text,
    progress,
    refusing,
    say,
    write_line,
    write_lines,
)

if TYPE_CHECKING:
    from socket import socket

    from rich.progress import Progress

    from boxcars.journal import Journal, Recorded
    from boxcars.page.serving import Page
    from boxcars.recorder import Recorder
    from boxcars.session import Settles
    from boxcars.table import Table
    from scoring.events import Event
    from vision.sources import Source

DEFAULT_PLAYER = "Player"
LOOPBACK = "127.0.0.1"


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("play", epilog="Example: boxcars play --source photos/ --players Ann,Ben")(play)


def play(
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="A camera's number or name, an http:// or rtsp:// address, a video file, a folder "
            "of pictures, a picture (give several in order), or sim, the simulated table; without "
            "it, the camera.",
            show_default=False,
        ),
    ] = None,
    players: Annotated[
        str, typer.Option(metavar="NAMES", help="Who plays, in order: Ann,Ben.")
    ] = DEFAULT_PLAYER,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the latest game that is not over.")
    ] = False,
    game: Annotated[
        int | None,
        typer.Option(
            metavar="GAME", help="With --resume: go on with this one.", show_default=False
        ),
    ] = None,
    house_rule: HouseRuleOption = None,
    page: Annotated[
        bool | None,
        typer.Option(
            "--page/--no-page",
            help="Show the game on a page in the browser; without either, if this is a terminal.",
            show_default=False,
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    overlay: Annotated[
        bool, typer.Option("--overlay", help="Also print the address of the overlay for streams.")
    ] = False,
    host: Annotated[
        str,
        typer.Option(
            help="The address to serve the page at; 0.0.0.0 lets others in the house look, who "
            "have the address with its token."
        ),
    ] = LOOPBACK,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to serve the page at; 0: any.")
    ] = 0,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep the pictures around each event there, a folder for each time you play, to "
            "look at or to play again with --source.",
            show_default=False,
        ),
    ] = None,
    calibration: CalibrationOption = "auto",
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read, referee, score and record a game, and show each event as it happens.

    On a terminal it also opens a page in the browser, and ends with Ctrl-C; with --json, or where
    nobody sees it, it ends with the game or the source. A resumed game takes its source, players
    and rules from the record. Seen again from its start, a source is passed over up to the latest
    event; another source goes on from there. With --json only what is new is printed; boxcars
    games replay has it all.
    """
    if resume and (players != DEFAULT_PLAYER or house_rule):
        raise Refusal("A resumed game keeps its players and house rules; leave them out.")
    if game is not None and not resume:
        raise Refusal("Give --game together with --resume.")
    paged = (sys.stdout.isatty() and not as_json) if page is None else page
    if overlay and not paged:
        raise Refusal("The overlay needs the page: add --page.")
    from boxcars.calibrating import Calibration
    from boxcars.choosing import default_specs, offers_for, open_watched
    from boxcars.feeds import Pace
    from boxcars.journal import JournalError, NoSuchGame
    from boxcars.names import WrongName, player_names
    from boxcars.recorder import new_recording
    from boxcars.referee import NoPlayers
    from boxcars.session import Session
    from boxcars.source_names import source_specs, source_text
    from boxcars.steadying import Steadied
    from boxcars.table import Crew, Table, Until
    from boxcars.watching import DiceSeen
    from calibration.profile import ProfileError
    from calibration.store import ProfileStore
    from scoring.events import WrongEvent
    from scoring.game import WrongMoment
    from vision.pictures import UnreadablePicture
    from vision.settle import settler_for
    from vision.sources import SourceError

    show = event_printer(as_json)
    with (
        refusing(JournalError, NoSuchGame, WrongName, NoPlayers, WrongEvent, WrongMoment),
        refusing(SourceError, UnreadablePicture, ProfileError),
        open_journal(data) as journal,
        ExitStack() as open_things,
    ):
        earlier = _unfinished(journal, game) if resume else None
        specs = source or (source_specs(earlier.source) if earlier else default_specs())
        again = earlier is not None and source_text(specs) == earlier.source
        names = player_names(players.split(","))
        bar = _Bar()
        # Pictures first, and whatever else may be refused: a game begins only if it can be played.
        watched = open_watched(
            specs,
            players=len(journal.game(earlier.id).players if earlier else names),
            since=_latest_t(journal, earlier) if earlier and again else 0.0,
            on_frame=bar.advance,
        )
        open_things.callback(watched.source.close)
        offers = offers_for(watched.text) if paged else ()
        if offers:
            watched = replace(watched, offer=offers[0].id)
        recorder = None
        if record is not None:
            with refusing(OSError):
                recorder = new_recording(record, now_text())
            open_things.callback(_say_trouble, recorder)
            open_things.enter_context(recorder)
        listener = open_things.enter_context(_listening(host, port)) if paged else None
        reader = open_watcher()
        open_calibrated(calibration, watched.source.spec, reader)
        if earlier:
            session = Session.resume(journal, earlier.id)
        else:
            session = Session.begin(
                journal,
                names,
                house_rules(house_rule),
                started=now_text(),
                source=watched.text,
            )
        if not (earlier and as_json):
            for event in session.events:
                show(event)
        settlers: list[DiceSeen] = []

        def settler(opened: Source) -> Settles:
            # Each source may be another camera, and may have been calibrated at the page by now.
            profiled = open_calibrated(calibration, opened.spec, reader)
            settlers.append(DiceSeen(settler_for(opened, profiled)))
            return settlers[-1] if opened.stills else Steadied(settlers[-1], profiled)

        crew = Crew(
            open=lambda chosen: replace(open_watched(source_specs(chosen.spec)), offer=chosen.id),
            settler=settler,
            now=now_text,
            offers=lambda: offers_for(watched.text),
            pace=Pace(time.monotonic, time.sleep) if paged else None,
            recorder=recorder,
            profiles=ProfileStore() if calibration == Calibration.AUTO else None,
        )
        table = Table(journal, session, watched, crew, offers, again=again)
        if listener is not None:
            page_served = open_things.enter_context(_served(table, host, listener))
            _announce(page_served, browser=browser, overlay=overlay)
            _play_until_stopped(table, show)
            raise typer.Exit(ExitCode.FINE)
        with bar.shown(watched.source.frames):
            for event in table.watch(Until.GAME_OVER):
                show(event)
    if not any(it.any for it in settlers) and not session.game.turns:
        raise Refusal(f"{watched.title} shows no dice.")
    unanswered = bool(session.referee.questions) and not session.game.over
    raise typer.Exit(ExitCode.CANNOT_TELL if unanswered else ExitCode.FINE)


def event_printer(as_json: bool) -> Callable[[Event], None]:
    """What shows an event on standard output, as a line of JSON or as lines for people."""
    if as_json:
        from boxcars.journal import event_line

        return lambda event: write_line(event_line(event))
    from boxcars.show import EventLines

    lines = EventLines()
    return lambda event: write_lines(lines.of(event))


class _Bar:
    """A progress bar that frames advance as soon as it is shown."""

    def __init__(self) -> None:
        self._bar: Progress | None = None

    def advance(self) -> None:
        advance(self._bar)

    @contextmanager
    def shown(self, frames: int | None) -> Iterator[None]:
        with progress("Watching", frames) as self._bar:
            yield


def _listening(host: str, port: int) -> socket:
    """Take the page's address; where it cannot be served is refused."""
    # Only here: whoever plays without a page needs no web server.
    from boxcars.page.serving import CannotServe, listen

    with refusing(CannotServe):
        return listen(host, port)


def _served(table: Table, host: str, listener: socket) -> Page:
    from boxcars.page.serving import Page

    return Page(table, host, listener=listener)


def _play_until_stopped(table: Table, show: Callable[[Event], None]) -> None:
    """Watch until somebody presses Ctrl-C; games may end and begin meanwhile."""
    from boxcars.table import Until

    with suppress(KeyboardInterrupt):
        for event in table.watch(Until.STOPPED):
            show(event)
    for event in table.told():
        show(event)
    if not table.snapshot.game.over:
        say("The game is on record: go on with boxcars play --resume")


def _say_trouble(recorder: Recorder) -> None:
    """Say why not everything was recorded, if so; it has been closed."""
    if recorder.trouble is not None:
        say(f"boxcars: {recorder.trouble}")
    elif recorder.lost:
        say(f"boxcars: {recorder.lost} pictures were not recorded: the disk is too slow.")


def _announce(page: Page, *, browser: bool, overlay: bool) -> None:
    """Tell where the page is, and open it."""
    say(f"The table: {page.address}")
    if page.outside_address:
        say(f"From other devices: {page.outside_address}")
    if overlay:
        say(f"The overlay: {page.overlay_address}")
    say("Stop with Ctrl-C.")
    if browser and _has_screen():
        import webbrowser

        webbrowser.open(page.address)


def _has_screen() -> bool:
    """Whether a browser would open in a window, and not in this terminal."""
    windows = sys.platform in ("win32", "darwin")
    return windows or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _latest_t(journal: Journal, earlier: Recorded) -> float:
    """Source time of a game's latest event, in seconds."""
    return max(event.t for event in journal.events(earlier.id))


def _unfinished(journal: Journal, game: int | None) -> Recorded:
    """The game to go on with."""
    if game is None:
        latest = journal.latest_unfinished()
        if latest is None:
            raise Refusal("There is no game to go on with: none on record is unfinished.")
        return latest
    recorded = journal.find(game)
    if journal.game(game).over:
        raise Refusal(f"Game {game} is over; boxcars games show {game} shows it.")
    return recorded
