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
    on_it = _lying_on(finds, finds)
    # Several good dice on one large find are a crowd, or a whole tray.
    crowds = (on_it & (quality > GOOD_DIE)[:, None]).sum(axis=0) >= CROWD
    for k in np.nonzero(on_it.any(axis=0) & ~crowds)[0]:
        find = finds[k]
        for factor in TRIED_SIZES:
            whole = replace(find, size=(find.size[0] * factor, find.size[1] * factor))
            # The more is tried, the more fits by chance.
            least = BETTER_WHOLE_FIT if factor == 1.0 else WHOLE_FIT
            best, sure = _as_whole(net, search, image, whole, lines[k], least)
            parts |= _lying_on(finds, [whole])[:, 0] & (sure | (best > quality))
    return parts


def _lying_on(finds: list[Find], larges: list[Find]) -> NDArray[np.bool_]:
    """Which finds (rows) are small beside which large ones (columns), and lie on them."""
    sizes, wholes = (np.array([max(f.size) for f in some]) for some in (finds, larges))
    places, middles = (np.array([f.center for f in some]) for some in (finds, larges))
    apart = np.linalg.norm(places[:, None] - middles[None], axis=2)
    on_it = (wholes[None] > SPECK * sizes[:, None]) & (apart < ON_IT * wholes[None])
    return np.asarray(on_it & np.array([f.d10 > WHOLE_FOUND for f in larges])[None])


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
