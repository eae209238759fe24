"""Large dice whose digits and specks were found too: the finds that are but parts of one.

The finder takes parts of large dice for small dice, and misjudges the size of large ones. So a
large find is tried in several sizes, on trays tilted either way: no die holds another.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from calibration.view import view_vectors
from vision.finder import Find
from vision.pose import PoseNet, cut, to_pictures
from vision.records import Image
from vision.tilt import LEVEL, TiltSearch, die_scores, normal_at

Array = NDArray[np.float64]

SPECK, ON_IT = 2.5, 0.65
"""A find nearer than this share of a larger one's size, smaller by this factor, may be a part
of it …"""

WHOLE_FOUND, WHOLE_D10, WHOLE_FIT = 0.3, 0.95, 0.85
"""… and is, if the larger one is found, recognised and placed this surely in some size under some
tilt …"""

BETTER_WHOLE_FIT = 0.78
"""… or if it is placed this well as it was found, and makes a better d10 than the part."""

GOOD_DIE, CROWD = 0.4, 2
"""But so many finds of more than this quality on a large one are dice, and it is none."""

TRIED_SIZES = (1.0, 0.85, 0.72)
TRIED_NORMALS = (LEVEL, *(normal_at(tilt, 45.0 * k) for tilt, k in product((15.0, 30.0), range(8))))


def parts_of_others(
    net: PoseNet,
    search: TiltSearch,
    image: Image,
    finds: list[Find],
    lines: Array,
    quality: Array,
) -> NDArray[np.bool_]:
    """Which finds in `image` are but parts of a larger die, `(n,)`.

    `quality` `(n,)` is how good a d10 each find makes, `lines` `(n, 3)` its line of sight.
    """
    parts = np.zeros(len(finds), bool)
    for k, find in enumerate(finds):
        on_it = _on(find, finds)
        # Several good dice on one large find are a crowd, or a whole tray.
        if not on_it.any() or np.count_nonzero(on_it & (quality > GOOD_DIE)) >= CROWD:
            continue
        for factor in TRIED_SIZES:
            whole = replace(find, size=(find.size[0] * factor, find.size[1] * factor))
            # The more is tried, the more fits by chance.
            least = BETTER_WHOLE_FIT if factor == 1.0 else WHOLE_FIT
            best, sure = _as_whole(net, search, image, whole, lines[k], least)
            parts |= _on(whole, finds) & (sure | (best > quality))
    return parts


def _on(large: Find, finds: list[Find]) -> NDArray[np.bool_]:
    """Which finds are small beside a large one, and lie on it, `(n,)`."""
    if large.d10 <= WHOLE_FOUND:
        return np.zeros(len(finds), bool)
    sizes = np.array([max(find.size) for find in finds])
    centers = np.array([find.center for find in finds])
    apart = np.linalg.norm(centers - np.array(large.center), axis=1)
    whole = max(large.size)
    return np.asarray((whole > SPECK * sizes) & (apart < ON_IT * whole))


def _as_whole(
    net: PoseNet, search: TiltSearch, image: Image, find: Find, line: Array, least_fit: float
) -> tuple[float, bool]:
    """How good a d10 the find makes under its best tilt, 0 if no kite fits better than `least_fit`;
    and whether it surely is one."""
    views = np.concatenate([view_vectors(normal, line[None]) for normal in TRIED_NORMALS])
    pictures = np.repeat(to_pictures([cut(image, find)]), len(views), axis=0)
    placement = net.place(pictures, views)
    fits = np.exp(die_scores(placement, views, search))
    sure = bool(((placement.d10 > WHOLE_D10) & (fits > WHOLE_FIT)).any())
    made = np.where(fits > least_fit, find.d10 * placement.d10 * fits, 0.0)
    return float(made.max()), sure
