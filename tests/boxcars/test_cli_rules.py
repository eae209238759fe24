"""`score`, `check` by faces and `advise`, against cases worked by hand."""

from __future__ import annotations

import pytest

from boxcars.commands.options import HouseRule, house_rules
from scoring.rules import HouseRules
from tests.running import boxcars


@pytest.mark.parametrize(
    ("faces", "lines"),
    [
        # Nothing but Locomotives: one counts, and the Caboose is missing.
        ("1111111111", {"One Locomotive": 10, "No Caboose": -10}),
        # No Locomotive: no points at all, whatever else lies there.
        ("2344444444", {"No Locomotive": 0}),
        ("0000000000", {"No Locomotive": 0}),
        # One of each: five single kinds; passenger and freight cars cancel both bonuses.
        (
            "0123456789",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "One Mail Car": 10,
                "Breakdown": -10,
                "One of a Kind: Sleeper": 5,
                "One of a Kind: Coach": 5,
                "One of a Kind: Box Car": 5,
                "One of a Kind: Tank": 5,
                "One of a Kind: Hopper": 5,
            },
        ),
        # Further Locomotives, Cabooses and Mail Cars add nothing; Way Cars are worth nothing.
        ("1122333999", {"One Locomotive": 10, "One Caboose": 10, "One Mail Car": 10}),
        # Every Breakdown costs ten.
        ("0001299999", {"One Locomotive": 10, "One Caboose": 10, "3 Breakdowns": -30}),
        # Two passenger cars without freight make the bonus, one does not.
        (
            "1299999944",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Two of a Kind: Sleeper": 20,
                "Passenger Car Bonus": 10,
            },
        ),
        ("1299999994", {"One Locomotive": 10, "One Caboose": 10, "One of a Kind: Sleeper": 5}),
        # Two freight cars of different kinds make theirs.
        (
            "1299999967",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "One of a Kind: Box Car": 5,
                "One of a Kind: Tank": 5,
                "Freight Car Bonus": 10,
            },
        ),
        # Three, four and then five, six, seven, eight and nine of a kind.
        (
            "1255566669",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Three of a Kind: Coach": 40,
                "Four of a Kind: Box Car": 60,
            },
        ),
        (
            "1277777999",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Five of a Kind: Tank": 80,
                "Freight Car Bonus": 10,
            },
        ),
        (
            "1288888899",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Six of a Kind: Hopper": 100,
                "Freight Car Bonus": 10,
            },
        ),
        (
            "1244444449",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Seven of a Kind: Sleeper": 120,
                "Passenger Car Bonus": 10,
            },
        ),
        (
            "1255555555",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Eight or more of a Kind: Coach": 140,
                "Passenger Car Bonus": 10,
            },
        ),
        (
            "1555555555",
            {
                "One Locomotive": 10,
                "No Caboose": -10,
                "Eight or more of a Kind: Coach": 140,
                "Passenger Car Bonus": 10,
            },
        ),
    ],
)
def test_score(faces: str, lines: dict[str, int]) -> None:
    ran = boxcars("score", faces, "--json")
    assert (ran.code, ran.err) == (0, "")
    record = ran.record
    assert record["faces"] == sorted(int(face) for face in faces)
    assert {line["name"]: line["points"] for line in record["lines"]} == lines
    assert len(record["lines"]) == len(lines)
    assert record["points"] == sum(lines.values())


@pytest.mark.parametrize(
    "faces",
    [
        ["1,1,2,4,4,6,6,7,7,7"],
        ["1 1 2 4 4 6 6 7 7 7"],
        ["1", "1", "2", "4", "4", "6", "6", "7", "7", "7"],
        ["7776644211"],
        ["locomotive,Locomotive,caboose,4,4,Box Car,box-car,tank,tank,Tank"],
    ],
)
def test_faces_may_be_written_in_many_ways(faces: list[str]) -> None:
    assert boxcars("score", *faces, "--json").record["points"] == 100


def test_score_for_people_adds_up() -> None:
    ran = boxcars("score", "1,1,2,4,4,6,6,7,7,7")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0].startswith("1 1 2 4 4 6 6 7 7 7")
    points = [int(line.split()[-1]) for line in lines[1:]]
    assert sum(points[:-1]) == points[-1] == 100


@pytest.mark.parametrize(
    ("rule", "faces", "points"),
    [
        ("first-breakdown-only", "0001299999", 10),
        ("penalties-without-locomotive", "0044444444", -30),
    ],
)
def test_house_rules_change_the_score(rule: str, faces: str, points: int) -> None:
    assert boxcars("score", faces, "--house-rule", rule, "--json").record["points"] == points
    assert boxcars("score", faces, "--json").record["points"] != points


TOO_MANY, BREAKDOWN = "too-many-dice", "breakdown-without-way-car"


@pytest.mark.parametrize(
    ("before", "picked_up", "phase", "reasons"),
    [
        ("0011135778", "", "reroll-8", []),
        ("1234567812", "12345678", "reroll-8", []),
        ("1234567812", "123456781", "reroll-8", [TOO_MANY]),
        ("1234567812", "123456", "reroll-6", []),
        ("1234567812", "1234567", "reroll-6", [TOO_MANY]),
        ("1234567812", "1234", "reroll-4", []),
        ("1234567812", "12345", "reroll-4", [TOO_MANY]),
        ("1234567812", "12", "reroll-2", []),
        ("1234567812", "123", "reroll-2", [TOO_MANY]),
        ("0011135778", "011358", "reroll-8", [BREAKDOWN]),
        ("0011135779", "0", "reroll-8", []),
        # The Way Car frees every Breakdown and may itself be in the same reroll.
        ("0000135779", "00009", "reroll-8", []),
        ("0011135778", "001113577", "reroll-8", [TOO_MANY, BREAKDOWN]),
        # Nothing may be rerolled when the turn is scored.
        ("1234567812", "1", "scoring", [TOO_MANY]),
    ],
)
def test_check_by_faces(before: str, picked_up: str, phase: str, reasons: list[str]) -> None:
    ran = boxcars("check", "--before", before, "--picked-up", picked_up, "--phase", phase, "--json")
    assert ran.record == {"verdict": "illegal" if reasons else "legal", "reasons": reasons}
    assert ran.code == (1 if reasons else 0)
    assert ran.err == ""


def test_the_house_may_want_the_way_car_to_stay() -> None:
    case = ["check", "--before", "0000135779", "--picked-up", "09", "--phase", "reroll-8", "--json"]
    assert boxcars(*case).code == 0
    ran = boxcars(*case, "--house-rule", "way-car-must-stay")
    assert (ran.code, ran.record["reasons"]) == (1, [BREAKDOWN])


def test_check_tells_people_why() -> None:
    ran = boxcars(
        "check", "--before", "0011135778", "--picked-up", "001113577", "--phase", "reroll-8"
    )
    assert ran.code == 1
    assert ran.out == "illegal: too many dice and a Breakdown without a Way Car\n"


def test_advise_before_the_last_reroll() -> None:
    # Eight Coaches, a Locomotive and a Caboose are the most a turn can bring: reroll nothing.
    ran = boxcars("advise", "1255555555", "--phase", "reroll-2", "--json")
    assert ran.code == 0
    assert ran.record == {
        "keep": [1, 2, 5, 5, 5, 5, 5, 5, 5, 5],
        "reroll": [],
        "expected_points": 170.0,
    }


def test_advise_with_one_die_to_hope_for() -> None:
    # Keep a Locomotive, a Caboose and seven Coaches (150 points with the bonus): the tenth die,
    # a Way Car worth nothing, becomes a Mail Car (+10), a Coach (+20), a Sleeper (+5), one of
    # three freight cars (+5, but the bonus of 10 goes), a Breakdown (-10) or nothing new.
    ran = boxcars("advise", "1255555559", "--phase", "reroll-2", "--json")
    expected = 150 + (10 + 20 + 5 + 3 * (5 - 10) - 10) / 10
    assert ran.record["reroll"] == [9]
    assert ran.record["expected_points"] == pytest.approx(expected, abs=1e-9)


def test_advise_for_people() -> None:
    ran = boxcars("advise", "1255555555", "--phase", "reroll-2")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "Keep        1 2 5 5 5 5 5 5 5 5   Locomotive, Caboose, 8 Coaches",
        "Reroll      –   nothing",
        "Worth       170.000 points on average",
    ]


def test_advise_never_rerolls_a_breakdown_without_a_way_car() -> None:
    ran = boxcars("advise", "0011135778", "--phase", "reroll-8", "--json")
    record = ran.record
    assert sorted(record["keep"] + record["reroll"]) == [0, 0, 1, 1, 1, 3, 5, 7, 7, 8]
    assert 0 not in record["reroll"]


def test_every_house_rule_has_its_option() -> None:
    default = HouseRules()
    for rule in HouseRule:
        changed = house_rules([rule])
        differing = [
            name
            for name in HouseRules.__slots__
            if getattr(changed, name) != getattr(default, name)
        ]
        assert differing == [rule.name.lower()]
    assert len(HouseRule) == len(HouseRules.__slots__)
