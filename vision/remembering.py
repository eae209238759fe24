"""Read picture after picture from one camera, and remember how the tray lies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.lens import Lens
from vision.reader import DiceReader, Look
from vision.records import Image

ENOUGH_DICE = 4
"""So many certain dice in one picture tell how the tray lies. Lowering it remembers sooner and
errs more often."""


class RememberingReader(DiceReader):
    """A reader for the pictures of one camera, in order: many dice tell how the tray lies, which
    saves the search in the next picture and tells which face of a lone die is up.

    A camera that moves is noticed by dice that no longer fit; then the search begins anew.
    """

    _remembered: NDArray[np.float64] | None = None

    def look(
        self,
        image: Image,
        normal: NDArray[np.float64] | None = None,
        lens: Lens | None = None,
        guess: NDArray[np.float64] | None = None,
    ) -> Look:
        """As `DiceReader.look`; the remembered normal is the guess unless one is given."""
        look = super().look(image, normal, lens, self._remembered if guess is None else guess)
        told = sum(reading.face is not None for reading in look.readings) >= ENOUGH_DICE
        # A normal that was given is not the dice's word.
        if told and normal is None:
            self._remembered = look.normal
        return look
