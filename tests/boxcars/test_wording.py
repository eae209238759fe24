"""What the referee asks."""

from __future__ import annotations

import pytest

from boxcars.lying import Lying
from boxcars.wording import question

WHERE = "it lies 610 pixels from the left and 340 from the top of the picture"
IT_LIES = f"I{WHERE[1:]}"


@pytest.mark.parametrize(
    ("candidates", "doubts", "text"),
    [
        ((6, 9, 8), "six-or-nine", f"Is this die a 6 (Box Car) or a 9 (Way Car)? {IT_LIES}."),
        # The other of the two may be less likely than a third, yet it is what the doubt is about.
        ((9, 8, 6), "six-or-nine", f"Is this die a 9 (Way Car) or a 6 (Box Car)? {IT_LIES}."),
        (
            (6, 9, 8),
            "six-or-nine neighbours-disagree",
            (
                "Is this die a 6 (Box Car) or a 9 (Way Car)? Its sides do not fit its face and "
                f"{WHERE}."
            ),
        ),
        (
            (8, 6, 9),
            "six-or-nine glare",
            (
                "Which face does this die show, perhaps 8 (Hopper) or 6 (Box Car)? It may be a 6 "
                f"or a 9, light glares on it and {WHERE}."
            ),
        ),
        ((3,), "", f"Which face does this die show, perhaps 3 (Mail Car)? {IT_LIES}."),
        ((), "unsure", f"Which face does this die show? Its digit is hard to read and {WHERE}."),
    ],
)
def test_a_question_says_what_is_in_doubt_and_where_the_die_lies(
    candidates: tuple[int, ...], doubts: str, text: str
) -> None:
    die = Lying(None, 610.2, 339.8, 60.0, 0.0, candidates, tuple(doubts.split()))
    assert question(die) == text
