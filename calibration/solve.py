"""Least squares for a few unknowns: Levenberg and Marquardt's method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The unknowns found `(n,)`, the sum of squares left, and the unknowns' covariance `(n, n)`
    supposing each residual has a spread of 1."""

    unknowns: Array
    cost: float
    covariance: Array


def least_squares(residuals: Callable[[Array], Array], start: Array, steps: int = 60) -> Solved:
    """The unknowns near `start` for which `residuals` are smallest.

    The unknowns should be of like size; residuals that are not finite count as very bad.
    """
    unknowns = np.asarray(start, np.float64).copy()
    now = _finite(residuals(unknowns))
    cost, damping = float(now @ now), 1e-3
    slope = _slope(residuals, unknowns, now)
    for _ in range(steps):
        square = slope.T @ slope
        damped = square + damping * np.diag(np.diag(square) + 1e-12)
        move = np.linalg.solve(damped, -slope.T @ now)
        new = _finite(residuals(unknowns + move))
        new_cost = float(new @ new)
        if new_cost < cost:
            gained = cost - new_cost
            unknowns, now, cost = unknowns + move, new, new_cost
            slope = _slope(residuals, unknowns, now)
            damping = max(damping / 10, 1e-9)
            if gained < 1e-10 * (1 + cost):
                break
        else:
            damping *= 10
            if damping > 1e9:
                break
    return Solved(unknowns, cost, np.asarray(np.linalg.pinv(slope.T @ slope), np.float64))


def _finite(values: Array) -> Array:
    return np.nan_to_num(values, nan=1e6, posinf=1e6, neginf=-1e6)


def _slope(residuals: Callable[[Array], Array], unknowns: Array, now: Array) -> Array:
    """The residuals' derivatives by each unknown, `(m, n)`."""
    columns = []
    for k in range(len(unknowns)):
        step = 1e-6 * max(1.0, abs(float(unknowns[k])))
        moved = unknowns.copy()
        moved[k] += step
        columns.append((_finite(residuals(moved)) - now) / step)
    return np.stack(columns, axis=1)
