"""Every roll scored by two routes, and hand-worked cases for each line of the score table."""

from __future__ import annotations

import itertools

import pytest

from scoring.cars import Faces, NotTenFaces, parse_faces
from scoring.rules import DEFAULT_RULES, HouseRules
from scoring.score import ScoreLine, score

OF_A_KIND = (0, 5, 20, 40, 60, 80, 100, 120, 140, 140, 140)
POINTS_BY_COUNT = (
    (0, -10, -20, -30, -40, -50, -60, -70, -80, -90, -100),  # 0 Breakdown
    (0, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10),  # 1 Locomotive
    (-10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10),  # 2 Caboose
    (0, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10),  # 3 Mail Car
    OF_A_KIND,  # 4 Sleeper
    OF_A_KIND,  # 5 Coach
    OF_A_KIND,  # 6 Box Car
    OF_A_KIND,  # 7 Tank
    OF_A_KIND,  # 8 Hopper
    (0,) * 11,  # 9 Way Car
)
FIRST_BREAKDOWN_ONLY = (0,) + (-10,) * 10


def points_by_table(faces: Faces, rules: HouseRules) -> int:
    """The second route: look each face's count up, nothing shared with the first."""
    text = "".join(map(str, faces))
    by_face = [POINTS_BY_COUNT[face][text.count(str(face))] for face in range(10)]
    if rules.first_breakdown_only:
        by_face[0] = FIRST_BREAKDOWN_ONLY[text.count("0")]
    if "1" not in text:
        return min(by_face[0], 0) + min(by_face[2], 0) if rules.penalties_without_locomotive else 0
    train = text.translate(str.maketrans("45678", "PPFFF", "01239"))
    bonus = 10 if len(train) >= 2 and len(set(train)) == 1 else 0
    return sum(by_face) + bonus


@pytest.mark.parametrize(
    "rules",
    [
        DEFAULT_RULES,
        HouseRules(first_breakdown_only=True),
        HouseRules(penalties_without_locomotive=True),
        HouseRules(first_breakdown_only=True, penalties_without_locomotive=True),
    ],
    ids=str,
)
def test_every_roll_scores_alike_by_two_routes(rules: HouseRules) -> None:
    rolls = 0
    for faces in itertools.combinations_with_replacement(range(10), 10):
        rolls += 1
        scored = score(faces, rules)
        assert scored.points == points_by_table(faces, rules), faces
        named = [line.name for line in scored.lines]
        assert len(set(named)) == len(named), faces
        assert all(line.points or line.name == "No Locomotive" for line in scored.lines), faces
    assert rolls == 92_378


@pytest.mark.parametrize(
    ("faces", "lines"),
    [
        ("1199999999", {"One Locomotive": 10, "No Caboose": -10}),
        ("1229999999", {"One Locomotive": 10, "One Caboose": 10}),
        ("1233999999", {"One Locomotive": 10, "One Caboose": 10, "One Mail Car": 10}),
        ("2233445566", {"No Locomotive": 0}),
        ("0000000000", {"No Locomotive": 0}),
        ("1209999999", {"One Locomotive": 10, "One Caboose": 10, "Breakdown": -10}),
        ("1200099999", {"One Locomotive": 10, "One Caboose": 10, "3 Breakdowns": -30}),
        ("1249999999", {"One Locomotive": 10, "One Caboose": 10, "One of a Kind: Sleeper": 5}),
        (
            "1255999999",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Two of a Kind: Coach": 20,
                "Passenger Car Bonus": 10,
            },
        ),
        (
            "1245999999",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "One of a Kind: Sleeper": 5,
                "One of a Kind: Coach": 5,
                "Passenger Car Bonus": 10,
            },
        ),
        (
            "1266678999",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Three of a Kind: Box Car": 40,
                "One of a Kind: Tank": 5,
                "One of a Kind: Hopper": 5,
                "Freight Car Bonus": 10,
            },
        ),
        (
            "1247777999",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "One of a Kind: Sleeper": 5,
                "Four of a Kind: Tank": 60,
            },
        ),
        (
            "1255588888",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Three of a Kind: Coach": 40,
                "Five of a Kind: Hopper": 80,
            },
        ),
        (
            "1244444499",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Six of a Kind: Sleeper": 100,
                "Passenger Car Bonus": 10,
            },
        ),
        (
            "1277777779",
            {
                "One Locomotive": 10,
                "One Caboose": 10,
                "Seven of a Kind: Tank": 120,
                "Freight Car Bonus": 10,
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
            "1666666666",
            {
                "One Locomotive": 10,
                "No Caboose": -10,
                "Eight or more of a Kind: Box Car": 140,
                "Freight Car Bonus": 10,
            },
        ),
    ],
)
def test_hand_worked_scores_line_by_line(faces: str, lines: dict[str, int]) -> None:
    scored = score(parse_faces(faces))
    assert scored.lines == tuple(ScoreLine(name, points) for name, points in lines.items())
    assert scored.points == sum(lines.values())
    assert scored.faces == tuple(map(int, sorted(faces)))


def test_the_first_breakdown_only_where_the_house_says_so() -> None:
    faces = parse_faces("1200099999")
    assert score(faces, HouseRules(first_breakdown_only=True)).lines[-1] == ScoreLine(
        "Breakdown", -10
    )


def test_penalties_without_a_locomotive_where_the_house_counts_them() -> None:
    scored = score(parse_faces("0044445555"), HouseRules(penalties_without_locomotive=True))
    assert scored.lines == (
        ScoreLine("No Locomotive", 0),
        ScoreLine("No Caboose", -10),
        ScoreLine("2 Breakdowns", -20),
    )
    assert scored.points == -30


@pytest.mark.parametrize(
    ("faces", "points"),
    [
        ("1124466777", 100),
        ("0123566667", 90),
        ("1267778999", 80),
        ("0122667788", 80),
        ("0001444889", 30),
    ],
)
def test_the_turns_of_the_sample_game(faces: str, points: int) -> None:
    assert score(parse_faces(faces)).points == points


@pytest.mark.parametrize("faces", [(), (1,) * 9, (1,) * 11, (10,) * 10])
def test_only_ten_faces_can_be_scored(faces: Faces) -> None:
    with pytest.raises(NotTenFaces):
        score(faces)
