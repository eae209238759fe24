"""`boxcars games`: the games on record."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boxcars.commands.opening import open_journal, record_path
from boxcars.commands.options import DataOption, JsonOption
from boxcars.console import (
    Refusal,
    refusing,
    say,
    write_file,
    write_json,
    write_line,
    write_lines,
)

if TYPE_CHECKING:
    from boxcars.journal import Journal, Recorded

app = typer.Typer(help="List, show, export and replay the games on record.")

GameArgument = Annotated[
    int | None,
    typer.Argument(
        metavar="GAME", help="The game's number; without it, the latest.", show_default=False
    ),
]


class Format(StrEnum):
    """What a game can be exported as."""

    CSV = "csv"
    JSON = "json"


@app.callback(invoke_without_command=True, epilog="Example: boxcars games show 3")
def _games(context: typer.Context, data: DataOption = None, as_json: JsonOption = False) -> None:
    if context.invoked_subcommand is None:
        list_games(data, as_json)
        return
    # What is said before the command's name holds for it too, unless it is said again.
    said: dict[str, object] = {} if data is None else {"data": str(data)}
    if as_json:
        said["as_json"] = True
    context.default_map = {context.invoked_subcommand: said}


@app.command("list", epilog="Example: boxcars games list")
def list_games(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the games, the oldest first."""
    from boxcars.export import summary

    summaries = []
    if record_path(data).exists():
        with _record(data) as journal:
            summaries = [summary(it, journal.game(it.id)) for it in journal.games()]
    if as_json:
        for record in summaries:
            write_json(record)
    elif summaries:
        from boxcars.tables import games_table

        write_lines([games_table(summaries)])
    else:
        say(_none_yet(data))


@app.command("show", epilog="Example: boxcars games show 3")
def show(game: GameArgument = None, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show a game's scoreboard, turn by turn."""
    from boxcars.export import scoreboard

    with _record(data) as journal:
        recorded = _chosen(journal, game, data)
        board = scoreboard(recorded, journal.game(recorded.id))
    if as_json:
        write_json(board)
        return
    from boxcars.tables import scoreboard_table

    write_lines([scoreboard_table(board)])


@app.command("export", epilog="Example: boxcars games export 3 --format csv --out game.csv")
def export(
    game: GameArgument = None,
    as_format: Annotated[
        Format, typer.Option("--format", help="One row an event, or everything as one object.")
    ] = Format.JSON,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write here and not to standard output.", show_default=False
        ),
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Also write the pictures, named by the events read from them.",
            show_default=False,
        ),
    ] = None,
    data: DataOption = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print what was written where as one JSON object."),
    ] = False,
) -> None:
    """Write a game down for other programs.

    Without --out it is printed, and as JSON that is the one object that --json promises.
    """
    if as_json and out is None and as_format is Format.CSV:
        raise Refusal("With --json a CSV must go to a file: add --out game.csv.")
    from io import StringIO
    from json import dumps

    from boxcars.export import document, write_csv

    text = StringIO()
    with _record(data) as journal:
        recorded = _chosen(journal, game, data)
        if as_format is Format.CSV:
            write_csv(text, journal.lines(recorded.id))
        else:
            whole = document(recorded, journal.game(recorded.id), journal.lines(recorded.id))
            text.write(dumps(whole, ensure_ascii=False) + "\n")
        if pictures is not None:
            _write_pictures(journal, recorded, pictures)
    if out is None:
        sys.stdout.write(text.getvalue())
        return
    write_file(out, text.getvalue().encode("utf-8"))
    if as_json:
        written = {"game": recorded.id, "format": as_format.value, "file": str(out)}
        write_json(written if pictures is None else written | {"pictures": str(pictures)})


@app.command("replay", epilog="Example: boxcars games replay 3 --json")
def replay(game: GameArgument = None, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show a game's events again, exactly as they were shown when it was played."""
    with _record(data) as journal:
        recorded = _chosen(journal, game, data)
        if as_json:
            for line in journal.lines(recorded.id):
                write_line(line)
            return
        from boxcars.show import EventLines

        event_lines = EventLines()
        for event in journal.events(recorded.id):
            write_lines(event_lines.of(event))


@contextmanager
def _record(data: Path | None) -> Iterator[Journal]:
    from boxcars.journal import JournalError, NoSuchGame

    if not record_path(data).exists():
        raise Refusal(_none_yet(data))
    with refusing(JournalError, NoSuchGame), open_journal(data) as journal:
        yield journal


def _none_yet(data: Path | None) -> str:
    return f"There are no games on record in {record_path(data).parent}; boxcars play begins one."


def _chosen(journal: Journal, game: int | None, data: Path | None) -> Recorded:
    """The game of that number, or the latest."""
    if game is not None:
        return journal.find(game)
    games = journal.games()
    if not games:
        raise Refusal(_none_yet(data))
    return games[-1]


def _write_pictures(journal: Journal, recorded: Recorded, folder: Path) -> None:
    with refusing(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        for seq in journal.pictured(recorded.id):
            picture = journal.picture(recorded.id, seq)
            if picture is not None:
                (folder / f"{seq:03d}.jpg").write_bytes(picture)
