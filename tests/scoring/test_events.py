"""Events and their JSON: exact both ways, and nothing half-right gets in."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.events import (
    Alert,
    Answer,
    Corrected,
    Event,
    EventNotParsed,
    GameOver,
    PickedUp,
    PlayerAdded,
    Question,
    Rerolled,
    Rolled,
    Scored,
    Stood,
    Undone,
    WrongEvent,
    from_dict,
    to_dict,
)
from scoring.phases import Phase
from scoring.rules import Illegality, Verdict
from scoring.score import ScoreLine

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no fault of the code."""

ROLL = tuple(range(10))
AT = {"t": 12.5, "player": "Ann", "turn": 2, "phase": "reroll-6"}

EVERY_EVENT: list[tuple[Event, dict[str, Any]]] = [
    (
        PlayerAdded(0.0, "Ann"),
        {"event": "player", "t": 0.0, "player": "Ann", "turn": 1, "phase": "roll-10"},
    ),
    (
        Rolled(1.0, "Ann", 1, Phase.ROLL_10, ROLL[::-1]),
        {
            "event": "roll",
            "t": 1.0,
            "player": "Ann",
            "turn": 1,
            "phase": "roll-10",
            "faces": list(ROLL),
        },
    ),
    (
        PickedUp(
            12.5,
            "Ann",
            2,
            Phase.REROLL_6,
            (3, 0),
            (9, 9, 8, 7, 6, 5, 4, 2),
            Verdict.ILLEGAL,
            ("breakdown-without-way-car",),
        ),
        {
            "event": "pickup",
            **AT,
            "picked_up": [0, 3],
            "kept": [2, 4, 5, 6, 7, 8, 9, 9],
            "verdict": "illegal",
            "reasons": ["breakdown-without-way-car"],
        },
    ),
    (
        Rerolled(12.5, "Ann", 2, Phase.REROLL_6, ROLL, Verdict.CANNOT_TELL),
        {
            "event": "reroll",
            **AT,
            "faces": list(ROLL),
            "verdict": "cannot-tell",
            "reasons": [],
        },
    ),
    (Stood(12.5, "Ann", 2, Phase.REROLL_6), {"event": "stand", **AT}),
    (
        Scored(
            12.5, "Ann", 2, Phase.SCORING, 5, (ScoreLine("A", 10), ScoreLine("No Caboose", -5)), 90
        ),
        {
            "event": "score",
            **AT,
            "phase": "scoring",
            "points": 5,
            "lines": [{"name": "A", "points": 10}, {"name": "No Caboose", "points": -5}],
            "total": 90,
        },
    ),
    (
        GameOver(
            99.0, "Bob", 5, Phase.SCORING, (("Bob", 90), ("Ann", 90), ("Cy", -10)), ("Bob", "Ann")
        ),
        {
            "event": "game-over",
            "t": 99.0,
            "player": "Bob",
            "turn": 5,
            "phase": "scoring",
            "totals": {"Bob": 90, "Ann": 90, "Cy": -10},
            "winners": ["Bob", "Ann"],
        },
    ),
    (
        Corrected(12.5, "Ann", 2, Phase.REROLL_6, 7, ROLL[::-1]),
        {"event": "correction", **AT, "seq": 7, "faces": list(ROLL)},
    ),
    (Undone(12.5, "Ann", 2, Phase.REROLL_6, 8), {"event": "undo", **AT, "seq": 8}),
    (
        Question(
            12.5,
            "Ann",
            2,
            Phase.REROLL_6,
            "Is this die a 9 or a 6?",
            (10.5, 20.0),
            (9, 6),
            ("six-or-nine",),
        ),
        {
            "event": "question",
            **AT,
            "text": "Is this die a 9 or a 6?",
            "center": [10.5, 20.0],
            "candidates": [9, 6],
            "doubts": ["six-or-nine"],
        },
    ),
    (
        Answer(12.5, "Ann", 2, Phase.REROLL_6, 9, 6),
        {"event": "answer", **AT, "seq": 9, "face": 6},
    ),
    (
        Alert(12.5, "Ann", 2, Phase.REROLL_6, "cocked", "A die leans."),
        {"event": "alert", **AT, "kind": "cocked", "text": "A die leans."},
    ),
]

every_event = pytest.mark.parametrize(
    ("event", "values"), EVERY_EVENT, ids=[event.KIND for event, _ in EVERY_EVENT]
)


@every_event
def test_json_is_exactly_the_contract_in_its_order(event: Event, values: dict[str, Any]) -> None:
    assert json.dumps(to_dict(event)) == json.dumps(values)


@every_event
def test_json_is_read_back_exactly(event: Event, values: dict[str, Any]) -> None:
    again = from_dict(json.loads(json.dumps(values)))
    assert again == event
    assert type(again) is type(event)
    assert hash(again) == hash(event)


faces = st.lists(st.integers(0, 9), min_size=10, max_size=10).map(lambda found: tuple(found))
at = st.fixed_dictionaries(
    {
        "t": st.floats(allow_nan=False, allow_infinity=False),
        "player": st.text(min_size=1).filter(lambda name: bool(name.strip())),
        "turn": st.integers(1, 5),
        "phase": st.sampled_from(Phase),
    }
)
verdicts = st.sampled_from(Verdict)
reasons = st.lists(st.sampled_from(Illegality(3).reasons), unique=True).map(
    lambda found: tuple(found)
)


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Any event that can be."""
    when = draw(at)
    roll = draw(faces)
    size = draw(st.integers(0, 10))
    lines = tuple(
        ScoreLine(name, points)
        for name, points in draw(st.lists(st.tuples(st.text(), st.integers())))
    )
    totals = draw(st.dictionaries(st.text(), st.integers()))
    number = draw(st.integers(0))
    text = draw(st.text())
    makers: list[Event] = [
        PlayerAdded(**when),
        Rolled(**when, faces=roll),
        PickedUp(
            **when,
            picked_up=roll[:size],
            kept=roll[size:],
            verdict=draw(verdicts),
            reasons=draw(reasons),
        ),
        Rerolled(**when, faces=roll, verdict=draw(verdicts), reasons=draw(reasons)),
        Stood(**when),
        Scored(**when, points=sum(line.points for line in lines), lines=lines, total=number),
        GameOver(**when, totals=tuple(totals.items()), winners=tuple(totals)[:1]),
        Corrected(**when, seq=number, faces=roll),
        Undone(**when, seq=number),
        Question(
            **when, text=text, center=(when["t"], 0.0), candidates=roll[:size], doubts=(text,)
        ),
        Answer(**when, seq=number, face=roll[0]),
        Alert(**when, kind=text, text=text),
    ]
    return draw(st.sampled_from(makers))


@unhurried
@given(events())
def test_any_event_survives_json_to_the_byte(event: Event) -> None:
    written = json.dumps(to_dict(event))
    again = from_dict(json.loads(written))
    assert again == event
    assert json.dumps(to_dict(again)) == written


def test_events_cannot_change() -> None:
    event = Undone(0.0, "Ann", 1, Phase.ROLL_10, 0)
    with pytest.raises(FrozenInstanceError):
        event.seq = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    "values", [{}, {"event": "dance"}, {"event": 1}, {"event": []}, [], None, "roll"], ids=repr
)
def test_what_is_no_event_is_refused(values: Any) -> None:
    with pytest.raises(EventNotParsed, match="An event is an object with `event` one of player,"):
        from_dict(values)


@every_event
def test_missing_and_unknown_values_are_refused(event: Event, values: dict[str, Any]) -> None:
    for name in values.keys() - {"event"}:
        with pytest.raises(EventNotParsed, match="has exactly the values"):
            from_dict({key: value for key, value in values.items() if key != name})
    with pytest.raises(EventNotParsed, match="has exactly the values"):
        from_dict({**values, "mood": "good"})


@every_event
@pytest.mark.parametrize("junk", [None, True, "x", [None], {"x": None}, 1e400, -1], ids=repr)
def test_no_value_may_be_of_another_form(event: Event, values: dict[str, Any], junk: Any) -> None:
    allowed = {
        "player": ("x",),
        "text": ("x",),
        "kind": ("x",),
        "t": (-1,),
        "total": (-1,),
        "seq": (-1,),
    }
    for name in values.keys() - {"event"}:
        if junk in allowed.get(name, ()):
            assert from_dict({**values, name: junk}) != event
        else:
            with pytest.raises(EventNotParsed):
                from_dict({**values, name: junk})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lines", [{"name": "A"}]),
        ("lines", [{"name": "A", "points": "5"}]),
        ("lines", ["A"]),
        ("points", 6),
    ],
)
def test_a_score_must_have_lines_that_add_up(name: str, value: Any) -> None:
    values = dict(EVERY_EVENT[5][1])
    with pytest.raises(EventNotParsed):
        from_dict({**values, name: value})


@pytest.mark.parametrize("center", [[], [1.0], [1.0, 2.0, 3.0], ["1", "2"], {"x": 1, "y": 2}])
def test_a_place_is_two_numbers(center: Any) -> None:
    with pytest.raises(EventNotParsed, match="cannot have"):
        from_dict({**EVERY_EVENT[9][1], "center": center})


def test_the_reason_why_an_event_makes_no_sense_is_told() -> None:
    with pytest.raises(EventNotParsed, match="'roll' makes no sense: A roll is ten faces"):
        from_dict({**EVERY_EVENT[1][1], "faces": [1, 2, 3]})


@pytest.mark.parametrize("t", [math.nan, math.inf, -math.inf])
def test_time_is_finite(t: float) -> None:
    with pytest.raises(WrongEvent, match="finite number of seconds"):
        Stood(t, "Ann", 1, Phase.REROLL_8)


@pytest.mark.parametrize("turn", [0, 6])
def test_turns_are_one_to_five(turn: int) -> None:
    with pytest.raises(WrongEvent, match=f"turn is 1-5, not {turn}"):
        Stood(0.0, "Ann", turn, Phase.REROLL_8)


@pytest.mark.parametrize("name", ["", "  "])
def test_a_player_has_a_name(name: str) -> None:
    with pytest.raises(WrongEvent, match="needs a name"):
        PlayerAdded(0.0, name)


@pytest.mark.parametrize("wrong", [(), (1,) * 9, (1,) * 11, (10,) * 10])
def test_rolls_are_ten_faces(wrong: tuple[int, ...]) -> None:
    with pytest.raises(WrongEvent, match="ten faces"):
        Rolled(0.0, "Ann", 1, Phase.ROLL_10, wrong)
    with pytest.raises(WrongEvent, match="ten faces"):
        Rerolled(0.0, "Ann", 1, Phase.REROLL_8, wrong, Verdict.LEGAL)
    with pytest.raises(WrongEvent, match="ten faces"):
        Corrected(0.0, "Ann", 1, Phase.REROLL_8, 0, wrong)
    with pytest.raises(WrongEvent, match="ten faces"):
        PickedUp(0.0, "Ann", 1, Phase.REROLL_8, wrong, (), Verdict.LEGAL)


def test_an_answer_is_a_face() -> None:
    with pytest.raises(WrongEvent, match="face is 0-9, not 10"):
        Answer(0.0, "Ann", 1, Phase.REROLL_8, 0, 10)
