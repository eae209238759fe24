"""`boxcars simulate`: how well whole simulated games are read and refereed."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated

import typer

from boxcars.commands.options import JsonOption
from boxcars.console import (
    ExitCode,
    Refusal,
    advance,
    progress,
    refusing,
    say,
    write_json,
    write_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from boxcars.sim.tally import Tally
    from boxcars.sim.trial import GameReport

_SEEDS = 1_000_000


def add_to(app: typer.Typer) -> None:
    """Add this command to the program."""
    app.command("simulate", epilog="Example: boxcars simulate --games 3 --seed 1")(simulate)


def simulate(
    games: Annotated[int, typer.Option(min=1, help="So many games are played.")] = 10,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="The first game's seed, the others follow; without it, a random one is told.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="So many games are played at once.")] = 1,
    as_json: JsonOption = False,
) -> None:
    """Play games at the simulated table and compare what was told with what truly happened.

    Everything goes wrong there that may go wrong at a table. The table shows, for each kind of
    trouble, what was missed and misjudged. Exit code 1 says that a legal reroll was called
    illegal, an illegal one legal, or that totals were wrong even after every answer.
    """
    from boxcars.sim.runner import play_seeds
    from boxcars.sim.tally import Tally
    from models import ModelError

    first = secrets.randbelow(_SEEDS) if seed is None else seed
    if jobs > games:
        raise Refusal(
            f"Games to be played: {games}, so not {jobs} at once; give --jobs at most {games}."
        )
    say(f"Simulating {games} {'game' if games == 1 else 'games'} from seed {first}.")
    reports = []
    with refusing(ModelError), progress("Playing", games) as bar:
        for report in play_seeds(range(first, first + games), jobs):
            reports.append(report)
            for line in _wrong(report):
                say(line)
            advance(bar)
    tally = Tally(reports)
    if as_json:
        write_json(tally.record())
    else:
        write_lines(_shown(tally))
    raise typer.Exit(ExitCode.FINE if tally.is_sound else ExitCode.NO)


def _wrong(report: GameReport) -> Iterator[str]:
    """What went wrong in one game, for whoever wants to replay it."""
    from scoring.rules import Verdict

    if not report.aided_right:
        yield f"seed {report.seed}: the totals are wrong."
    for each in report.judged:
        if each.is_false_alarm:
            yield f"seed {report.seed}: a legal reroll was called illegal at {each.t:.1f} s."
        if not each.legal and each.verdict is Verdict.LEGAL:
            yield f"seed {report.seed}: an illegal reroll was called legal at {each.t:.1f} s."


def _shown(tally: Tally) -> Iterator[RenderableType]:
    """The figures for people."""
    from rich.table import Table

    from boxcars.sim.film import Deed
    from scoring.rules import Verdict

    table = Table("", "happened", "found", "made up")
    for name, deed in (
        ("rolls", Deed.ROLL),
        ("pick-ups", Deed.PICK_UP),
        ("rerolls", Deed.REROLL),
        ("stands", Deed.STAND),
    ):
        found = tally.found(deed)
        table.add_row(name, str(found.truly), f"{found.recall:.2%}", f"{1 - found.precision:.2%}")
    yield table
    table = Table(
        "trouble", "things", "missed", "rerolls", "false alarm", "let pass", "cannot tell"
    )
    for line in tally.lines:
        table.add_row(
            "none" if line.trouble is None else line.trouble.value,
            str(line.things),
            str(line.missed),
            str(line.rerolls),
            str(line.legal_called_illegal),
            str(line.illegal_called_legal),
            str(line.cannot_tell),
        )
    yield table
    illegal = tally.illegal_called
    late, median = tally.late_s(0.95), tally.late_s(0.5)
    yield f"Final totals right: {tally.unaided_right:.1%}; after answers {tally.aided_right:.1%}"
    yield f"Questions a game:   {tally.questions:.2f}"
    yield f"Legal called illegal: {tally.legal_called_illegal}"
    yield (
        f"Illegal: {illegal[Verdict.ILLEGAL]} called so, {illegal[Verdict.CANNOT_TELL]} cannot "
        f"tell, {illegal[Verdict.LEGAL]} called legal"
    )
    if late is not None and median is not None:
        yield f"From rest to told: {median:.2f} s in the middle, {late:.2f} s for 95 %"
