"""Events, scores and readings as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from boxcars.terms import (
    cars_text,
    doubt_words,
    faces_text,
    listed,
    phase_text,
    verdict_words,
)
from scoring.events import (
    Alert,
    Answer,
    Corrected,
    Event,
    GameOver,
    PickedUp,
    PlayerAdded,
    Question,
    Rerolled,
    Rolled,
    Scored,
    Stood,
    Undone,
)
from scoring.rules import Verdict
from scoring.score import Score, ScoreLine

if TYPE_CHECKING:
    from boxcars.pickups import Comparison
    from scoring.advisor import Advice
    from vision.records import DieReading

VERDICT_STYLES = {
    Verdict.LEGAL: "green",
    Verdict.ILLEGAL: "bold red",
    Verdict.CANNOT_TELL: "yellow",
}
LABEL_WIDTH = 12
NAME_WIDTH = 30
GAP = "   "


def _seen_text(faces: Sequence[int | None]) -> str:
    """Faces, the known ones sorted, then a question mark for each that is in doubt."""
    known = tuple(face for face in faces if face is not None)
    unknown = ["?"] * (len(faces) - len(known))
    return " ".join([faces_text(known), *unknown]) if known or not unknown else " ".join(unknown)


def verdict_text(verdict: Verdict, reasons: Sequence[str]) -> Text:
    """A verdict and why, in its colour."""
    return Text(verdict_words(verdict, reasons), style=VERDICT_STYLES[verdict])


def score_lines(score: Score) -> Iterator[Text]:
    """A score, one line of the table after the other, then the sum."""
    yield Text(f"{faces_text(score.faces)}{GAP}{cars_text(score.faces)}", style="bold")
    for line in score.lines:
        yield Text(f"  {line.name:<{NAME_WIDTH}}{line.points:+4d}")
    yield Text(f"  {'Score':<{NAME_WIDTH}}{score.points:4d}", style="bold")


def advice_lines(advice: Advice) -> Iterator[Text]:
    """The best play in three lines."""
    yield _labelled("Keep", faces_text(advice.keep), cars_text(advice.keep))
    yield _labelled("Reroll", faces_text(advice.reroll), cars_text(advice.reroll))
    yield Text(f"{'Worth':<{LABEL_WIDTH}}{advice.expected_points:.3f} points on average")


def comparison_lines(comparison: Comparison) -> Iterator[Text]:
    """One reroll told by pictures: what lay there, what was picked up, and the verdict."""
    yield _labelled("Before", _seen_text(comparison.before), "")
    if comparison.picked_up is not None:
        yield _labelled("Picked up", faces_text(comparison.picked_up), "")
    yield _labelled("After", _seen_text(comparison.after), "")
    yield verdict_text(comparison.finding.verdict, comparison.finding.reasons)
    if comparison.why:
        yield Text(comparison.why, style="yellow")


def reading_lines(path: Path, readings: Sequence[DieReading]) -> Iterator[Text]:
    """What one picture shows: its faces, then every die that is in doubt."""
    certain = tuple(reading.face for reading in readings if reading.face is not None)
    doubtful = [reading for reading in readings if reading.face is None]
    text = Text(f"{path}: ")
    text.append(faces_text(certain), style="bold")
    if doubtful:
        text.append(f"   and {len(doubtful)} in doubt", style="yellow")
    yield text
    for reading in doubtful:
        x, y = reading.sighting.center
        yield Text(
            f"  at {x:.0f},{y:.0f}: perhaps {reading.likeliest} "
            f"({reading.confidence:.0%}) – {listed(doubt_words(reading.doubts.names))}",
            style="yellow",
        )


class EventLines:
    """Turns a game's events, in order, into lines; a heading begins each player's turn."""

    def __init__(self) -> None:
        self._heading: tuple[str, int] | None = None
        self._told: tuple[Verdict, tuple[str, ...]] | None = None
        self._events: list[Event] = []

    def of(self, event: Event) -> Iterator[Text]:
        """The lines that show this event."""
        self._remember(event)
        if isinstance(event, Rolled | PickedUp | Rerolled | Stood):
            yield from self._head(event.player, event.turn)
        match event:
            case PlayerAdded():
                yield Text(f"{event.player} plays.")
            case Rolled():
                yield _labelled(phase_text(event.phase), faces_text(event.faces), "")
            case PickedUp(picked_up=()):
                self._told = None
                yield Text("  put back")
            case PickedUp():
                self._told = event.verdict, event.reasons
                yield _labelled(
                    "  picked up", faces_text(event.picked_up), verdict_text(*self._told)
                )
            case Rerolled():
                verdict = event.verdict, event.reasons
                text = "" if verdict == self._told else verdict_text(*verdict)
                self._told = None
                yield _labelled(phase_text(event.phase), faces_text(event.faces), text)
            case Stood():
                self._told = None
                yield Text("  stands")
            case Scored():
                yield from _points_lines(event.lines)
                yield _labelled("score", str(event.points), "")
                yield _labelled("total", f"{event.player} {event.total}", "")
            case GameOver():
                yield from _game_over(event)
            case Corrected():
                yield Text(f"  corrected: {faces_text(event.faces)}", style="cyan")
            case Undone():
                yield Text(f"  {self._undone()}", style="cyan")
            case Question():
                yield Text(f"  ? {event.text}", style="yellow")
            case Answer():
                yield Text(f"  answer: {event.face}", style="cyan")
            case Alert():
                yield Text(f"  ! {event.text}", style="bold red")

    def _remember(self, event: Event) -> None:
        # Events are numbered from the first of their game, and the page may begin another one,
        # which shows at its first roll at the latest: that is the first player's.
        begun = any(isinstance(it, Rolled) for it in self._events)
        if isinstance(event, PlayerAdded) and begun:
            self._events = []
        elif isinstance(event, Rolled) and not begun:
            joined = [
                index
                for index, it in enumerate(self._events)
                if isinstance(it, PlayerAdded) and it.player == event.player
            ]
            self._events = self._events[max(joined, default=0) :]
        self._events.append(event)

    def _undone(self) -> str:
        # Only here: it needs what the quick commands, which show no events, start without.
        from boxcars.telling import undo_text

        return undo_text(self._events, len(self._events) - 1)

    def _head(self, player: str, turn: int) -> Iterator[Text]:
        if (player, turn) != self._heading:
            self._heading = (player, turn)
            yield Text()
            yield Text(f"{player}, turn {turn}", style="bold underline")


def _labelled(label: str, main: str, more: str | Text) -> Text:
    text = Text(f"{label:<{LABEL_WIDTH}}").append(main, style="bold")
    if more:
        text.append(GAP)
        text.append(Text(more, style="dim") if isinstance(more, str) else more)
    return text


def _points_lines(lines: Sequence[ScoreLine]) -> Iterator[Text]:
    for line in lines:
        yield Text(f"  {line.name:<{NAME_WIDTH}}{line.points:+4d}", style="dim")


def _game_over(event: GameOver) -> Iterator[Text]:
    totals = ", ".join(f"{player} {total}" for player, total in event.totals)
    yield Text()
    yield Text(f"Game over: {totals}.", style="bold")
    if len(event.winners) > 1:
        yield Text(f"A tie between {listed(event.winners)}.", style="bold")
    elif len(event.totals) > 1:
        yield Text(f"{event.winners[0]} wins.", style="bold")
