"""`boxcars play`: referee and score a game from a source."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from boxcars.commands.opening import open_journal, open_reader
from boxcars.commands.options import (
    DataOption,
    HouseRuleOption,
    JsonOption,
    house_rules,
)
from boxcars.console import ExitCode, Refusal, advance, progress, refusing, write_line, write_lines

if TYPE_CHECKING:
    from boxcars.journal import Journal, Recorded
    from scoring.events import Event

DEFAULT_PLAYER = "Player"


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("play", epilog="Example: boxcars play --source photos/ --players Ann,Ben")(play)


def play(
    source: Annotated[
        list[str] | None,
        typer.Option(
            help="A folder of pictures, a picture (give several in order) or a video file.",
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
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read, referee, score and record a game, and show each event as it happens.

    A resumed game takes its source, players and rules from the record. Seen again from its
    start, a source is passed over up to the latest event; another source goes on from there.
    With --json only what is new is printed; boxcars games replay has it all.
    """
    if resume and (players != DEFAULT_PLAYER or house_rule):
        raise Refusal("A resumed game keeps its players and house rules; leave them out.")
    if game is not None and not resume:
        raise Refusal("Give --game together with --resume.")
    if not resume and not source:
        raise Refusal("Name what to watch, like --source photos/, or go on with --resume.")
    from boxcars.journal import JournalError, NoSuchGame
    from boxcars.referee import NoPlayers
    from boxcars.session import Session
    from boxcars.watching import DiceSeen, Started, source_text, source_title
    from scoring.events import WrongEvent
    from scoring.game import WrongMoment
    from vision.pictures import UnreadablePicture
    from vision.settle import settler_for
    from vision.sources import SourceError, open_source

    show = event_printer(as_json)
    with (
        refusing(JournalError, NoSuchGame, NoPlayers, WrongEvent, WrongMoment),
        refusing(SourceError, UnreadablePicture),
        open_journal(data) as journal,
    ):
        earlier = _unfinished(journal, game) if resume else None
        specs = source or (earlier.source.split("\n") if earlier else [])
        with open_source(specs) as opened, progress("Watching", opened.frames) as bar:
            frames = Started(opened, lambda: advance(bar))
            settler = DiceSeen(settler_for(opened, open_reader()))
            if earlier:
                session = Session.resume(journal, earlier.id)
            else:
                session = Session.begin(
                    journal,
                    [name.strip() for name in players.split(",")],
                    house_rules(house_rule),
                    started=datetime.now().astimezone().isoformat(timespec="seconds"),
                    source=source_text(specs),
                )
            if not (earlier and as_json):
                for event in session.events:
                    show(event)
            again = earlier is not None and source_text(specs) == earlier.source
            for event in session.play(frames, settler, again=again):
                show(event)
    if not settler.any and not session.game.turns:
        raise Refusal(f"{source_title(source_text(specs))} shows no dice.")
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


def _unfinished(journal: Journal, game: int | None) -> Recorded:
    """The game to go on with."""
    recorded = journal.latest_unfinished() if game is None else journal.find(game)
    if recorded is None:
        raise Refusal("There is no game to go on with: all on record are over.")
    if journal.game(recorded.id).over:
        raise Refusal(f"Game {recorded.id} is over; boxcars games show {recorded.id} shows it.")
    return recorded
