"""Measure calibration on rendered boards and clicks: `python -m calibration.evaluate`.

Prints one JSON object a line, and ends with exit code 1 when a figure misses its limit. The
figures last measured are in `calibration/metrics.json`; `--write` renews them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import BoardView, detect
from calibration.bump import Bump, BumpKind, BumpWatch
from calibration.lens import Lens, nominal
from calibration.lens_fit import LensFit, LensUnclear, fit_lens
from calibration.rendering import Looks, Pose, render
from calibration.standpoint import Standpoint, rotation_vector, triple
from calibration.tray import TrayUnclear, tray_from_board, tray_from_clicks

Array = NDArray[np.float64]
Image = NDArray[np.uint8]

METRICS = Path(__file__).with_name("metrics.json")

SAMPLES = Path(__file__).parent.parent / "samples" / "photoreal-game"

WIDTH, HEIGHT = 1280, 720
VIEWS = 14
"""Views of the board to a camera."""

CAMERAS = 16
"""Cameras measured, so 224 views."""

BAD_SETS = 24

TRAY_MM = (260.0, 180.0)
"""The tray over which places are compared."""


def camera(rng: np.random.Generator) -> Lens:
    """A webcam: 45 to 78° wide, its middle a little off, its lens bending up to 30 %."""
    focal = WIDTH * rng.uniform(0.62, 1.2)
    k1 = rng.uniform(-0.3, 0.1)
    return Lens(
        (WIDTH, HEIGHT),
        (focal, focal),
        (WIDTH / 2 + rng.normal(0, 0.012) * WIDTH, HEIGHT / 2 + rng.normal(0, 0.012) * WIDTH),
        (k1, -k1 * rng.uniform(0, 0.4), rng.normal(0, 0.0008), rng.normal(0, 0.0008), 0.0),
    )


def pose_at(
    lens: Lens,
    tilt_deg: float,
    azimuth_deg: float,
    spin_deg: float,
    board_px: float,
    middle_px: tuple[float, float],
) -> Pose:
    """The board tilted by `tilt_deg`, about `board_px` wide, its middle at `middle_px`."""
    tilt, azimuth, spin = np.radians([tilt_deg, azimuth_deg, spin_deg])
    up = np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), -np.cos(tilt)])
    right = np.array([np.cos(spin), np.sin(spin), 0.0])
    right -= up * (up @ right)
    right /= np.linalg.norm(right)
    rotation = np.column_stack([right, np.cross(up, right), up])
    line = lens.rays(np.array([middle_px]))[0]
    at = line / line[2] * lens.focal[0] * 160 / board_px
    return Pose(rotation_vector(rotation), triple(at))


def any_pose(rng: np.random.Generator, lens: Lens) -> Pose:
    """A view to 60° of tilt, the board anywhere, often partly outside the picture."""
    middle = (rng.uniform(0.15, 0.85) * WIDTH, rng.uniform(0.15, 0.85) * HEIGHT)
    return pose_at(
        lens,
        rng.uniform(0, 60),
        rng.uniform(0, 360),
        rng.uniform(0, 360),
        rng.uniform(0.3, 0.75) * WIDTH,
        middle,
    )


def any_looks(rng: np.random.Generator) -> Looks:
    """Ordinary blur, noise and light."""
    return Looks(
        blur_px=rng.uniform(0.3, 1.3),
        noise=rng.uniform(0.5, 7),
        light=rng.uniform(110, 240),
        slope=rng.uniform(0, 0.5),
    )


def lens_error(found: Lens, true: Lens) -> float:
    """The largest error of focal length and middle, as shares of the focal length and width."""
    focal = max(abs(f / t - 1) for f, t in zip(found.focal, true.focal, strict=True))
    center = max(abs(f - t) / WIDTH for f, t in zip(found.center, true.center, strict=True))
    return float(max(focal, center))


def floor_error_mm(standpoint: Standpoint, lens: Lens, pose: Pose) -> float:
    """The largest error over the tray around the board, where the picture shows it."""
    xs = np.linspace(-TRAY_MM[0] / 2, TRAY_MM[0] / 2, 9)
    ys = np.linspace(-TRAY_MM[1] / 2, TRAY_MM[1] / 2, 7)
    places = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 2)
    solid = np.column_stack([places, np.zeros(len(places))]) @ pose.matrix.T
    solid += np.array(pose.translation)
    pixels = lens.project(solid)
    shown = (solid[:, 2] > 0) & (pixels > 0).all(axis=1)
    shown &= (pixels[:, 0] < WIDTH) & (pixels[:, 1] < HEIGHT)
    # Far outside the picture the lens's polynomial folds back into it; no real lens does.
    lines = solid / np.linalg.norm(solid, axis=1, keepdims=True)
    shown &= (lens.rays(pixels) * lines).sum(axis=1) > np.cos(np.radians(0.1))
    off = np.linalg.norm(standpoint.to_mm(pixels[shown]) - places[shown], axis=1)
    return float(np.nan_to_num(off, nan=1e3).max(initial=0.0))


def tray_shown(lens: Lens, pose: Pose) -> bool:
    """Whether the picture shows three or more of the tray's corners, as when one sets it up."""
    x, y = TRAY_MM[0] / 2, TRAY_MM[1] / 2
    corners = np.array([[-x, y, 0], [x, y, 0], [x, -y, 0], [-x, -y, 0]])
    solid = corners @ pose.matrix.T + np.array(pose.translation)
    pixels = lens.project(solid)
    inside = (solid[:, 2] > 0) & (pixels > 0).all(axis=1)
    inside &= (pixels[:, 0] < WIDTH) & (pixels[:, 1] < HEIGHT)
    return int(inside.sum()) >= 3


def measure_boards(cameras: int) -> dict[str, Any]:
    """Lens and tray from rendered views of the board."""
    lens_errors: list[float] = []
    view_errors: list[float] = []
    floors: list[float] = []
    cut_off: list[float] = []
    floors_nominal: list[float] = []
    seen = 0
    refused = 0
    for index in range(cameras):
        rng = np.random.default_rng(1000 + index)
        lens = camera(rng)
        poses = [any_pose(rng, lens) for _ in range(VIEWS)]
        found = [detect(render(lens, pose, any_looks(rng), rng)) for pose in poses]
        views = [(view, pose) for view, pose in zip(found, poses, strict=True) if view]
        seen += VIEWS
        try:
            fit = fit_lens([view for view, _ in views])
        except LensUnclear:
            refused += 1
            continue
        lens_errors.append(lens_error(fit.lens, lens))
        view_errors += fit.view_errors_px
        for view, pose in views:
            off_mm = _floor(view, pose, lens, fit.lens)
            (floors if tray_shown(lens, pose) else cut_off).extend(off_mm)
            floors_nominal += _floor(view, pose, lens, None)
        _tell(f"camera {index + 1} of {cameras}: lens off by {100 * lens_errors[-1]:.3f} %")
    return {
        "views": seen,
        "cameras": cameras,
        "cameras_refused": refused,
        "lens_error_percent_max": round(100 * max(lens_errors), 3),
        "reprojection_px_median": round(float(np.median(view_errors)), 3),
        "tray_views": len(floors),
        "tray_error_mm_max": round(max(floors), 3),
        "tray_mostly_outside_views": len(cut_off),
        "tray_mostly_outside_error_mm_max": round(max(cut_off), 3),
        "tray_error_nominal_lens_mm_median": round(float(np.median(floors_nominal)), 3),
        "tray_error_nominal_lens_mm_p95": round(float(np.percentile(floors_nominal, 95)), 3),
    }


def _floor(view: BoardView, pose: Pose, lens: Lens, known: Lens | None) -> list[float]:
    try:
        return [floor_error_mm(tray_from_board(view, known).standpoint, lens, pose)]
    except TrayUnclear:
        return []


BadSet = Callable[[np.random.Generator, Lens], list[tuple[Pose, Looks]]]


def _all_level(rng: np.random.Generator, lens: Lens) -> list[tuple[Pose, Looks]]:
    return [
        (
            pose_at(
                lens,
                rng.uniform(0, 3),
                rng.uniform(0, 360),
                rng.uniform(0, 360),
                rng.uniform(0.4, 0.5) * WIDTH,
                (rng.uniform(0.4, 0.6) * WIDTH, rng.uniform(0.4, 0.6) * HEIGHT),
            ),
            any_looks(rng),
        )
        for _ in range(VIEWS)
    ]


def _all_the_same(rng: np.random.Generator, lens: Lens) -> list[tuple[Pose, Looks]]:
    pose = any_pose(rng, lens)
    return [(pose, any_looks(rng)) for _ in range(VIEWS)]


def _too_few(rng: np.random.Generator, lens: Lens) -> list[tuple[Pose, Looks]]:
    return [(any_pose(rng, lens), any_looks(rng)) for _ in range(4)]


def _bent(rng: np.random.Generator, lens: Lens) -> list[tuple[Pose, Looks]]:
    looks = [Looks(bend_mm=rng.uniform(8, 25)) for _ in range(VIEWS)]
    return [(any_pose(rng, lens), look) for look in looks]


def _moved(rng: np.random.Generator, lens: Lens) -> list[tuple[Pose, Looks]]:
    looks = [Looks(motion_px=rng.uniform(6, 25), noise=8, light=90) for _ in range(VIEWS)]
    return [(any_pose(rng, lens), look) for look in looks]


def _slivers(rng: np.random.Generator, lens: Lens) -> list[tuple[Pose, Looks]]:
    return [
        (
            pose_at(
                lens,
                rng.uniform(0, 30),
                rng.uniform(0, 360),
                0.0,
                0.6 * WIDTH,
                (WIDTH * rng.choice([-0.22, 1.22]), rng.uniform(0.4, 0.6) * HEIGHT),
            ),
            any_looks(rng),
        )
        for _ in range(VIEWS)
    ]


BAD: dict[str, BadSet] = {
    "all level": _all_level,
    "all the same": _all_the_same,
    "too few": _too_few,
    "bent sheet": _bent,
    "moved": _moved,
    "slivers": _slivers,
}


def measure_bad(sets: int) -> dict[str, Any]:
    """Sets of views that tell no lens: each must be refused, or else be right all the same."""
    kinds = list(BAD)
    refused, right, wrong = 0, 0, []
    for index in range(sets):
        rng = np.random.default_rng(5000 + index)
        lens = camera(rng)
        kind = kinds[index % len(kinds)]
        found = [detect(render(lens, pose, looks, rng)) for pose, looks in BAD[kind](rng, lens)]
        try:
            fit: LensFit | None = fit_lens([view for view in found if view])
        except LensUnclear:
            fit = None
        if fit is None:
            refused += 1
        elif lens_error(fit.lens, lens) <= 0.005:
            right += 1
        else:
            wrong.append(f"{kind}: off by {100 * lens_error(fit.lens, lens):.2f} %")
        _tell(f"bad set {index + 1} of {sets} ({kind}): {'refused' if fit is None else 'accepted'}")
    return {"sets": sets, "refused": refused, "accepted_right": right, "accepted_wrong": wrong}


def measure_clicks(trays: int) -> dict[str, Any]:
    """Trays of known size whose corners were clicked, each 2 px off in any direction."""
    errors, refused = [], 0
    for index in range(trays):
        rng = np.random.default_rng(9000 + index)
        focal = WIDTH * rng.uniform(0.62, 1.2)
        lens = Lens((WIDTH, HEIGHT), (focal, focal), (WIDTH / 2, HEIGHT / 2))
        width = rng.uniform(190, 300)
        depth = rng.uniform(135, min(200, 0.95 * width))
        # The tray fills most of the picture, as people set it up.
        wide_px = rng.uniform(0.65, 0.8) * min(WIDTH, HEIGHT * width / depth)
        pose = pose_at(
            lens,
            rng.uniform(0, 45),
            -90 + rng.uniform(-25, 25),
            rng.uniform(-20, 20),
            wide_px * 160 / width,
            (WIDTH / 2 + rng.uniform(-40, 40), HEIGHT / 2 + rng.uniform(-30, 30)),
        )
        x, y = width / 2, depth / 2
        places = np.array([[-x, y], [x, y], [x, -y], [-x, -y]])
        solid = np.column_stack([places, np.zeros(4)]) @ pose.matrix.T + np.array(pose.translation)
        pixels = lens.project(solid)
        turn = rng.uniform(0, 2 * np.pi, 4)
        clicks = pixels + 2 * np.column_stack([np.cos(turn), np.sin(turn)])
        try:
            fit = tray_from_clicks(rng.permutation(clicks), (width, depth), lens.size)
        except TrayUnclear:
            refused += 1
            continue
        errors.append(_clicked_error(fit.standpoint, places, lens, pose))
    return {
        "trays": trays,
        "refused": refused,
        "error_mm_median": round(float(np.median(errors)), 3),
        "error_mm_p95": round(float(np.percentile(errors, 95)), 3),
        "error_mm_max": round(max(errors), 3),
    }


def _clicked_error(standpoint: Standpoint, corners: Array, lens: Lens, pose: Pose) -> float:
    """The largest error over the floor, in whichever of the turns the tray was taken."""
    grid = np.stack(np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 7)), axis=-1)
    places = grid.reshape(-1, 2) * corners[1]
    solid = np.column_stack([places, np.zeros(len(places))]) @ pose.matrix.T
    seen = standpoint.to_mm(lens.project(solid + np.array(pose.translation)))
    turns = (places, -places, places[:, ::-1] * [-1, 1], places[:, ::-1] * [1, -1])
    return float(min(np.linalg.norm(seen - turned, axis=1).max() for turned in turns))


BUMP_STEP_S = 0.2
"""Pictures come so far apart in a bump's film."""

BUMPS = ("pitch", "yaw", "roll", "x", "y", "z")
"""Turned by 1° around an axis, or moved by 5 mm along one."""


@dataclass(frozen=True, slots=True)
class _Still:
    t: float
    image: Image


def measure_bumps(pictures: Sequence[Path]) -> dict[str, Any]:
    """A bump of 1° or 5 mm in each picture's view; and all pictures after each other, in changing
    light, in which nothing but the dice moves."""
    noticed, followed, late = 0, 0, []
    tried = 0
    for index, path in enumerate(pictures):
        image = _loaded(path)
        for kind in BUMPS:
            rng = np.random.default_rng(7000 + index)
            tried += 1
            seen = _bumped(image, kind, rng, _standpoint_for(image))
            bump = _noticed(image, seen, rng)
            if bump is None:
                late.append(f"{path.name}: {kind}")
            else:
                noticed += 1
                followed += bump.kind is BumpKind.FOLLOWED
        _tell(f"bumps in picture {index + 1} of {len(pictures)}: {noticed} of {tried} noticed")
    return {
        "bumps": tried,
        "noticed": noticed,
        "followed": followed,
        "not_noticed": late,
        "false_alarms": _false_alarms(pictures),
    }


def _loaded(path: Path) -> Image:
    image = cv2.imread(str(path))
    if image is None:
        raise SystemExit(f"{path} is no picture.")
    return np.asarray(image, np.uint8)


def _standpoint_for(image: Image) -> Standpoint:
    """A camera that looks down on a tray at 10°, as good as any over a picture."""
    size = (image.shape[1], image.shape[0])
    lens = nominal(size)
    pose = pose_at(lens, 10.0, -90.0, 0.0, 0.4 * size[0], (size[0] / 2, size[1] / 2))
    return Standpoint(lens, pose.rotation, pose.translation).with_outline(*TRAY_MM)


def _bumped(image: Image, kind: str, rng: np.random.Generator, standpoint: Standpoint) -> Image:
    """What the camera sees of the tray's plane after a bump."""
    matrix = standpoint.lens.matrix
    turn, shift = np.zeros(3), np.zeros(3)
    sign = rng.choice([-1.0, 1.0])
    if kind in ("pitch", "yaw", "roll"):
        turn[BUMPS.index(kind)] = sign * np.radians(1.0)
    else:
        shift["xyz".index(kind)] = sign * 5.0
    plane = np.outer(shift, -standpoint.normal) / standpoint.height_mm
    move = matrix @ (np.asarray(cv2.Rodrigues(turn)[0]) + plane) @ np.linalg.inv(matrix)
    size = (image.shape[1], image.shape[0])
    seen = cv2.warpPerspective(image, move, size, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(seen, np.uint8)


def _in_light(image: Image, light: float, rng: np.random.Generator) -> Image:
    noise = rng.normal(0, 2.5, image.shape[:2])[..., None]
    return np.asarray(np.clip(image * light + noise, 0, 255), np.uint8)


def _noticed(before: Image, after: Image, rng: np.random.Generator) -> Bump | None:
    """What is said within two seconds of the bump; None if nothing, or if something too early."""
    watch = BumpWatch(_standpoint_for(before))
    calm = [_in_light(before, 1.0, rng) for _ in range(2)]
    moved = [_in_light(after, rng.uniform(0.9, 1.1), rng) for _ in range(2)]
    for k in range(4):
        if watch.push(_Still(k * BUMP_STEP_S, calm[k % 2])) is not None:
            return None
    for k in range(4, 14):
        bump = watch.push(_Still(k * BUMP_STEP_S, moved[k % 2]))
        if bump is not None:
            return bump
    return None


def _false_alarms(pictures: Sequence[Path]) -> int:
    """Pictures of one table one after the other, each for a second, in light that comes and
    goes; pictures of other tables begin anew."""
    rng = np.random.default_rng(1)
    alarms, t = 0, 0.0
    watch = BumpWatch(_standpoint_for(_loaded(pictures[0])))
    for path in pictures:
        image = _loaded(path)
        for _ in range(5):
            light = 0.85 + 0.25 * float(np.sin(t))
            alarms += watch.push(_Still(t, _in_light(image, light, rng))) is not None
            t += BUMP_STEP_S
    return alarms


LIMITS: dict[str, dict[str, tuple[float, float]]] = {
    "boards": {
        "lens_error_percent_max": (0.0, 0.5),
        "reprojection_px_median": (0.0, 0.3),
        "tray_error_mm_max": (0.0, 0.5),
        "tray_mostly_outside_error_mm_max": (0.0, 0.5),
        "cameras_refused": (0, 0),
    },
    "bumps": {"false_alarms": (0, 0)},
    "clicks": {"error_mm_max": (0.0, 2.0), "refused": (0, 0)},
}


def misses(figures: dict[str, dict[str, Any]]) -> list[str]:
    """Each figure outside its limits, as one sentence."""
    found = []
    for part, limits in LIMITS.items():
        for name, (least, most) in limits.items():
            value = figures.get(part, {}).get(name)
            if value is not None and not least <= value <= most:
                found.append(f"{part}: {name} is {value}, not within {least} to {most}.")
    if figures.get("bumps", {}).get("not_noticed"):
        found.append(f"bumps: {figures['bumps']['not_noticed']} were not noticed.")
    if figures.get("bad", {}).get("accepted_wrong"):
        found.append(f"bad: {figures['bad']['accepted_wrong']} were accepted.")
    return found


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is named, or all; exit code 1 if a limit is missed."""
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "boards": lambda: measure_boards(chosen.cameras),
        "bad": lambda: measure_bad(BAD_SETS),
        "clicks": lambda: measure_clicks(400),
        "bumps": lambda: measure_bumps(sorted(chosen.pictures.glob("*.jpg"))[::4]),
    }
    parser = argparse.ArgumentParser(prog="python -m calibration.evaluate", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"What to measure: {', '.join(parts)}; all.")
    parser.add_argument("--cameras", type=int, default=CAMERAS, help="Cameras with 14 views each.")
    parser.add_argument(
        "--pictures", type=Path, default=SAMPLES, help="Pictures of one table to bump."
    )
    parser.add_argument("--write", action="store_true", help=f"Renew {METRICS.name}.")
    chosen = parser.parse_args(arguments)
    unknown = [part for part in chosen.parts if part not in parts]
    if unknown:
        parser.error(f"There is no {unknown[0]!r} to measure.")
    figures = {}
    for part in chosen.parts or parts:
        figures[part] = parts[part]()
        sys.stdout.write(json.dumps({part: figures[part]}) + "\n")
        sys.stdout.flush()
        if chosen.write:
            known = json.loads(METRICS.read_text("utf-8")) if METRICS.exists() else {}
            known[part] = figures[part]
            METRICS.write_text(json.dumps(known, indent=2) + "\n", "utf-8")
    missed = misses(figures)
    for sentence in missed:
        _tell(sentence)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
