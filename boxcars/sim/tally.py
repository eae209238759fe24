"""What many simulated games say together: how much was found, and how well it was judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from boxcars.sim.film import Deed, Trouble
from boxcars.sim.trial import Check, GameReport, Judged
from scoring.rules import Verdict

_COUNTED = (Deed.ROLL, Deed.PICK_UP, Deed.REROLL, Deed.STAND)


@dataclass(frozen=True, slots=True)
class Found:
    """Of one kind of thing: how many there were, how many were found, how many were made up."""

    truly: int
    found: int
    extra: int

    @property
    def recall(self) -> float:
        """The share of what happened that was found."""
        return self.found / self.truly if self.truly else 1.0

    @property
    def precision(self) -> float:
        """The share of what was told that happened."""
        told = self.found + self.extra
        return self.found / told if told else 1.0


@dataclass(frozen=True, slots=True)
class TroubleLine:
    """One kind of trouble: how often it came, what was missed and misjudged in it."""

    trouble: Trouble | None
    things: int
    missed: int
    rerolls: int
    legal_called_illegal: int
    illegal_called_legal: int
    cannot_tell: int


class Tally:
    """The figures of many games."""

    def __init__(self, reports: Iterable[GameReport]) -> None:
        self.reports = sorted(reports, key=lambda report: report.seed)
        self._checks = [check for report in self.reports for check in report.checks]
        self._judged = [each for report in self.reports for each in report.judged]
        self._extra: Counter[str] = Counter()
        for report in self.reports:
            self._extra.update(report.extra)

    def found(self, deed: Deed) -> Found:
        """How well things of this kind were found; quick pick-ups may be missed."""
        checks = [
            check
            for check in self._checks
            if check.deed is deed and (check.found or not _may_be_missed(check))
        ]
        return Found(len(checks), sum(check.found for check in checks), self._extra[deed.value])

    @property
    def unaided_right(self) -> float:
        """The share of games whose final totals were right with nobody's help."""
        return _share(report.unaided_right for report in self.reports)

    @property
    def aided_right(self) -> float:
        """The share of games whose final totals were right once questions were answered."""
        return _share(report.aided_right for report in self.reports)

    @property
    def legal_called_illegal(self) -> int:
        """Legal rerolls that were, at any time, called illegal."""
        return sum(each.is_false_alarm for each in self._judged)

    @property
    def illegal_called(self) -> Counter[Verdict]:
        """What illegal rerolls were called."""
        return Counter(each.verdict for each in self._judged if not each.legal)

    @property
    def questions(self) -> float:
        """Questions asked in a game, on average."""
        return sum(report.questions for report in self.reports) / max(1, len(self.reports))

    def late_s(self, share: float) -> float | None:
        """Within how many seconds of rest `share` of the rolls and rerolls were told."""
        late = sorted(
            check.late_s
            for check in self._checks
            if check.late_s is not None and check.deed in (Deed.ROLL, Deed.REROLL)
        )
        return late[min(len(late) - 1, int(share * len(late)))] if late else None

    @property
    def lines(self) -> tuple[TroubleLine, ...]:
        """A line for each kind of trouble there was, and first one for no trouble at all."""
        troubles: list[Trouble | None] = [None, *Trouble]
        lines = [self._line(trouble) for trouble in troubles]
        return tuple(line for line in lines if line.things)

    @property
    def is_sound(self) -> bool:
        """Whether no hard promise was broken."""
        illegal = self.illegal_called
        return (
            not self.legal_called_illegal
            and not illegal[Verdict.LEGAL]
            and all(report.aided_right for report in self.reports)
        )

    def record(self) -> dict[str, Any]:
        """The figures as JSON-ready values."""
        illegal = self.illegal_called
        return {
            "games": len(self.reports),
            "seeds": [self.reports[0].seed, self.reports[-1].seed] if self.reports else [],
            **{
                deed.value: {
                    "truly": found.truly,
                    "recall": round(found.recall, 5),
                    "precision": round(found.precision, 5),
                }
                for deed in _COUNTED
                for found in [self.found(deed)]
            },
            "right_unaided": round(self.unaided_right, 5),
            "right_after_answers": round(self.aided_right, 5),
            "legal_rerolls": sum(each.legal for each in self._judged),
            "legal_called_illegal": self.legal_called_illegal,
            "illegal_rerolls": illegal.total(),
            "illegal_called_illegal": illegal[Verdict.ILLEGAL],
            "illegal_cannot_tell": illegal[Verdict.CANNOT_TELL],
            "illegal_called_legal": illegal[Verdict.LEGAL],
            "alarms_while_standing": sum(r.standing_alarms for r in self.reports),
            "questions_per_game": round(self.questions, 3),
            "late_s": {"median": _rounded(self.late_s(0.5)), "p95": _rounded(self.late_s(0.95))},
            "troubles": {
                "none" if line.trouble is None else line.trouble.value: {
                    "things": line.things,
                    "missed": line.missed,
                    "rerolls": line.rerolls,
                    "legal_called_illegal": line.legal_called_illegal,
                    "illegal_called_legal": line.illegal_called_legal,
                    "cannot_tell": line.cannot_tell,
                }
                for line in self.lines
            },
            "wrong_games": {
                "unaided": [r.seed for r in self.reports if not r.unaided_right],
                "after_answers": [r.seed for r in self.reports if not r.aided_right],
            },
            "frames": sum(report.frames for report in self.reports),
            "looks": sum(report.reads for report in self.reports),
            "seconds": round(sum(report.seconds for report in self.reports), 1),
        }

    def _line(self, trouble: Trouble | None) -> TroubleLine:
        checks: list[Check] = []
        judged: list[Judged] = []
        for report in self.reports:
            lasting = report.troubles
            checks += [c for c in report.checks if _is_in(trouble, c.troubles | lasting)]
            judged += [j for j in report.judged if _is_in(trouble, j.troubles | lasting)]
        return TroubleLine(
            trouble,
            len(checks),
            sum(not check.found and not _may_be_missed(check) for check in checks),
            len(judged),
            sum(each.is_false_alarm for each in judged),
            sum(not each.legal and each.verdict is Verdict.LEGAL for each in judged),
            sum(each.verdict is Verdict.CANNOT_TELL for each in judged),
        )


def _is_in(trouble: Trouble | None, troubles: frozenset[Trouble]) -> bool:
    return not troubles if trouble is None else trouble in troubles


def _may_be_missed(check: Check) -> bool:
    """Whether nobody can be blamed for not having seen it: it was too quick."""
    return check.quick and check.deed is Deed.PICK_UP


def _share(marks: Iterable[bool]) -> float:
    values: Sequence[bool] = list(marks)
    return sum(values) / len(values) if values else 1.0


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
