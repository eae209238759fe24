"""`boxcars play`: referee and score a game from a source, and show it on a page."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boxcars.commands.opening import open_calibrated, open_journal, open_watcher
from boxcars.commands.options import (
    CalibrationOption,
    DataOption,
    HouseRule,
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

    from boxcars.calibrating import ProfiledReader
    from boxcars.journal import Journal, Recorded
    from boxcars.page.serving import Page
    from boxcars.recorder import Recorder
    from boxcars.session import Session, Settles
    from boxcars.table import Crew, Table, Watched
    from boxcars.watching import DiceSeen
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
    paged = (sys.stdout.isatty() and not as_json) if page is None else page
    wish = _Wish(
        source=source,
        players=players,
        resume=resume,
        game=game,
        house_rule=house_rule,
        paged=paged,
        browser=browser,
        overlay=overlay,
        host=host,
        port=port,
        record=record,
        calibration=calibration,
        data=data,
        as_json=as_json,
    )
    _refuse_contradictions(wish)
    raise typer.Exit(_run(wish))


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the command line asks for; `paged` is whether there is to be a page."""

    source: list[str] | None
    players: str
    resume: bool
    game: int | None
    house_rule: list[HouseRule] | None
    paged: bool
    browser: bool
    overlay: bool
    host: str
    port: int
    record: Path | None
    calibration: str
    data: Path | None
    as_json: bool


def _refuse_contradictions(wish: _Wish) -> None:
    if wish.resume and (wish.players != DEFAULT_PLAYER or wish.house_rule):
        raise Refusal("A resumed game keeps its players and house rules; leave them out.")
    if wish.game is not None and not wish.resume:
        raise Refusal("Give --game together with --resume.")
    if wish.overlay and not wish.paged:
        raise Refusal("The overlay needs the page: add --page.")


def _run(wish: _Wish) -> ExitCode:
    """Open everything, play, and tell how it ended."""
    from boxcars.choosing import offers_for
    from boxcars.journal import JournalError, NoSuchGame
    from boxcars.names import WrongName
    from boxcars.referee import NoPlayers
    from boxcars.table import Table, Until
    from calibration.profile import ProfileError
    from scoring.events import WrongEvent
    from scoring.game import WrongMoment
    from vision.pictures import UnreadablePicture
    from vision.sources import SourceError

    show = event_printer(wish.as_json)
    with (
        refusing(JournalError, NoSuchGame, WrongName, NoPlayers, WrongEvent, WrongMoment),
        refusing(SourceError, UnreadablePicture, ProfileError),
        open_journal(wish.data) as journal,
        ExitStack() as open_things,
    ):
        earlier = _unfinished(journal, wish.game) if wish.resume else None
        bar = _Bar()
        # Pictures first, and whatever else may be refused: a game begins only if it can be played.
        watched, again = _watched(wish, journal, earlier, bar)
        open_things.callback(watched.source.close)
        offers = offers_for(watched.text) if wish.paged else ()
        if offers:
            watched = replace(watched, offer=offers[0].id)
        recorder = _recorder(wish.record, open_things)
        listener = (
            open_things.enter_context(_listening(wish.host, wish.port)) if wish.paged else None
        )
        eyes = _Eyes(wish.calibration)
        eyes.reading(watched.source)
        session = _session(journal, earlier, wish, watched.text)
        if not (earlier and wish.as_json):
            for event in session.events:
                show(event)
        crew = _crew(wish, watched, eyes, recorder)
        table = Table(journal, session, watched, crew, offers, again=again)
        if listener is not None:
            page = open_things.enter_context(_served(table, wish.host, listener))
            _announce(page, browser=wish.browser, overlay=wish.overlay)
            _play_until_stopped(table, show)
            return ExitCode.FINE
        with bar.shown(watched.source.frames):
            for event in table.watch(Until.GAME_OVER):
                show(event)
    if not eyes.saw_dice and not session.game.turns:
        raise Refusal(f"{watched.title} shows no dice.")
    unanswered = bool(session.referee.questions) and not session.game.over
    return ExitCode.CANNOT_TELL if unanswered else ExitCode.FINE


def _watched(
    wish: _Wish, journal: Journal, earlier: Recorded | None, bar: _Bar
) -> tuple[Watched, bool]:
    """The source, opened, and whether it is the one that the `earlier` game was read from."""
    from boxcars.choosing import default_specs, open_watched
    from boxcars.names import player_names
    from boxcars.source_names import source_specs, source_text

    specs = wish.source or (source_specs(earlier.source) if earlier else default_specs())
    again = earlier is not None and source_text(specs) == earlier.source
    names = journal.game(earlier.id).players if earlier else player_names(wish.players.split(","))
    since = _latest_t(journal, earlier) if earlier and again else 0.0
    return open_watched(specs, players=len(names), since=since, on_frame=bar.advance), again


def _recorder(folder: Path | None, open_things: ExitStack) -> Recorder | None:
    """What keeps the pictures around each event, if that is wished."""
    if folder is None:
        return None
    from boxcars.recorder import new_recording

    with refusing(OSError):
        recorder = new_recording(folder, now_text())
    open_things.callback(_say_trouble, recorder)
    return open_things.enter_context(recorder)


def _session(journal: Journal, earlier: Recorded | None, wish: _Wish, text: str) -> Session:
    """The game to go on with, or a new one; `text` is what the record keeps of its source."""
    from boxcars.names import player_names
    from boxcars.session import Session

    if earlier:
        return Session.resume(journal, earlier.id)
    return Session.begin(
        journal,
        player_names(wish.players.split(",")),
        house_rules(wish.house_rule),
        started=now_text(),
        source=text,
    )


class _Eyes:
    """The reader of dice for whatever is watched, and whether it saw any."""

    def __init__(self, calibration: str) -> None:
        self._calibration = calibration
        self._reader = open_watcher()
        self._settlers: list[DiceSeen] = []

    @property
    def saw_dice(self) -> bool:
        return any(settler.any for settler in self._settlers)

    def reading(self, source: Source) -> ProfiledReader:
        """The reader with what is known of this source's camera."""
        from boxcars.calibrating import Misfit

        # The game must not end because somebody chose another camera at the page.
        misfit = Misfit.SAID if self._settlers else Misfit.REFUSED_AT_FIRST
        return open_calibrated(self._calibration, source.spec, self._reader, misfit)

    def settler(self, source: Source) -> Settles:
        """What finds settled views in a source."""
        from boxcars.steadying import Steadied
        from boxcars.watching import DiceSeen
        from vision.settle import settler_for

        # Each source may be another camera, and may have been calibrated at the page by now.
        profiled = self.reading(source)
        seen = DiceSeen(settler_for(source, profiled))
        self._settlers.append(seen)
        return seen if source.stills else Steadied(seen, profiled)


def _crew(wish: _Wish, watched: Watched, eyes: _Eyes, recorder: Recorder | None) -> Crew:
    from boxcars.calibrating import Calibration
    from boxcars.choosing import offers_for, open_watched
    from boxcars.feeds import Pace
    from boxcars.source_names import source_specs
    from boxcars.table import Crew
    from calibration.store import ProfileStore

    return Crew(
        open=lambda chosen: replace(open_watched(source_specs(chosen.spec)), offer=chosen.id),
        settler=eyes.settler,
        now=now_text,
        offers=lambda: offers_for(watched.text),
        pace=Pace(time.monotonic, time.sleep) if wish.paged else None,
        recorder=recorder,
        profiles=ProfileStore() if wish.calibration == Calibration.AUTO else None,
    )


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
