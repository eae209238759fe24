"""What tests do at the page and expect of it, in the words of the table."""

from __future__ import annotations

from typing import Any

from tests.boxcars.table import Die
from tests.browser.stage import Stage

SPOTS = tuple((180.0 + 230 * (n % 5), 220.0 + 260 * (n // 5)) for n in range(10))
"""Ten places in the picture with room for labels between them."""


def laid(faces: str) -> list[Die]:
    """Ten dice or fewer, each at its own spot; `.` leaves a spot empty."""
    return [
        Die(int(face), *SPOTS[spot], angle=0.4 * spot)
        for spot, face in enumerate(faces)
        if face != "."
    ]


def thrown(faces: str) -> list[Die]:
    """The same, lying elsewhere than before."""
    return [die.moved(0.0, -1.4, 0.9) for die in laid(faces)]


def text(page: Any, selector: str) -> str:
    """The text that people see there, in one line."""
    return " ".join(str(page.locator(selector).first.inner_text()).split())


def shows(page: Any, stage: Stage) -> None:
    """Wait until the page has drawn the table as it is now."""
    rev = stage.now.rev
    page.locator(f'html[data-rev="{rev}"]').wait_for(state="attached")


def plays(page: Any, player: str) -> None:
    """Wait until it is this player's turn on the page."""
    page.locator("#turn-who", has_text=player).wait_for()


def labels(page: Any) -> list[str]:
    """What is written at the dice in the picture, as screen readers say it."""
    return sorted(each.get_attribute("aria-label") for each in page.locator(".die-label").all())


def worth(page: Any) -> int:
    """The points on the board."""
    return int(text(page, "#sum-points .unseen").replace("−", "-"))


def turns(page: Any, player: str) -> list[str]:
    """A player's row of the score sheet: five turns, then the total."""
    row = page.locator("#sheet tbody tr").filter(has=page.get_by_text(player, exact=True))
    return [" ".join(cell.inner_text().split()) for cell in row.locator("td").all()]
