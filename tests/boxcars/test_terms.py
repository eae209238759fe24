"""What things are called, the same in the program and on its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from boxcars.lying import CONTRADICTION
from boxcars.terms import (
    DOUBTS,
    REASONS,
    VERDICTS,
    cars_text,
    doubt_words,
    faces_text,
    listed,
    phase_text,
    plural,
    verdict_words,
)
from scoring.cars import Car
from scoring.phases import Phase
from scoring.rules import Illegality, Verdict
from tests.running import ROOT
from vision.records import Doubt

SCRIPTS = ROOT / "boxcars" / "page" / "static" / "js"


def script(name: str) -> str:
    return Path(SCRIPTS / name).read_text(encoding="utf-8")


def test_no_faces_and_many_cars() -> None:
    assert faces_text(()) == "–"
    assert cars_text(()) == "nothing"
    assert cars_text((5, 0, 5, 1, 0, 0)) == "Locomotive, 2 Coaches, 3 Breakdowns"


def test_the_page_names_the_cars_alike() -> None:
    found = re.findall(r'{ face: (\d), name: "(.+?)", plural: "(.+?)",', script("cars.js"))
    assert found == [(str(car.value), car.title, plural(car)) for car in Car]


def test_the_page_tells_doubts_alike() -> None:
    body = script("wording.js").partition("const DOUBTS = {")[2].partition("};")[0]
    assert dict(re.findall(r'"(.+?)": "(.+?)",', body)) == DOUBTS


def test_every_doubt_and_reason_has_words() -> None:
    every = Doubt.NONE
    for doubt in Doubt:
        every |= doubt
    assert tuple(DOUBTS) == (*every.names, CONTRADICTION)
    assert tuple(REASONS) == tuple(flag.reasons[0] for flag in Illegality)
    assert doubt_words(("cocked", "something new")) == ("it leans", "something new")


def test_the_page_tells_verdicts_alike() -> None:
    body = script("wording.js").partition("function verdictText")[2]
    found = dict(re.findall(r'"([a-z-]+)": "([a-z ]+)"', body))
    assert found == {verdict.value: text for verdict, text in VERDICTS.items()}
    assert verdict_words(Verdict.ILLEGAL, tuple(REASONS)) == (
        "illegal: too many dice and a Breakdown without a Way Car"
    )
    assert verdict_words(Verdict.LEGAL, ()) == "legal"


def test_phases_are_called_as_in_the_rules() -> None:
    assert [phase_text(phase) for phase in Phase] == [
        *("roll 10", "reroll 8", "reroll 6", "reroll 4", "reroll 2", "scoring"),
    ]


@pytest.mark.parametrize(
    ("words", "text"),
    [("", ""), ("A", "A"), ("AB", "A and B"), ("ABC", "A, B and C")],
)
def test_lists(words: str, text: str) -> None:
    assert listed(tuple(words)) == text
