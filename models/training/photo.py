"""From linear light to a webcam's picture: exposure, colour, blur, noise, sharpening, JPEG."""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

Rng = np.random.Generator


def photograph(
    light: NDArray[np.float32], rng: Rng, exposure: float | None = None, blur_px: float = 1.0
) -> NDArray[np.uint8]:
    """A camera's picture of linear light `(h, w, 3)`; `blur_px` scales lens and motion blur."""
    image = light * white_balance(rng)
    if exposure is None:
        exposure = random_exposure(light, rng)
    image = image * exposure
    gamma = rng.uniform(1.8, 2.6)
    if rng.random() < 0.5:
        image = image / (1 + 0.25 * image)
    image = np.clip(image, 0, None) ** (1 / gamma)
    image = np.clip(image, 0, 1).astype(np.float32)
    if rng.random() < 0.6:
        sigma = abs(rng.normal(0, 0.55)) * blur_px
        if sigma > 0.15:
            image = cv2.GaussianBlur(image, (0, 0), sigma)
    if rng.random() < 0.1:
        image = _motion_blur(image, rng, blur_px)
    if rng.random() < 0.8:
        noise = rng.choice([rng.uniform(0, 0.015), rng.uniform(0.01, 0.06)], p=[0.75, 0.25])
        grain = rng.normal(0, noise, image.shape).astype(np.float32)
        if rng.random() < 0.4:
            grain = cv2.GaussianBlur(grain, (0, 0), 0.7) * 1.6
        image = image + grain * np.sqrt(image + 0.1)
    if rng.random() < 0.3:
        soft = cv2.GaussianBlur(image, (0, 0), 1.2)
        image = image + rng.uniform(0.2, 1.0) * (image - soft)
    if rng.random() < 0.3:
        grey = image.mean(axis=2, keepdims=True)
        image = grey + (image - grey) * rng.uniform(0.3, 1.4)
    picture = np.clip(image * 255 + 0.5, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        quality = int(rng.choice([rng.integers(30, 70), rng.integers(70, 97)], p=[0.3, 0.7]))
        ok, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if ok:
            picture = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
    return picture


def white_balance(rng: Rng) -> NDArray[np.float32]:
    """Gains for blue, green and red: from candle-warm to cold shade."""
    warm = math.exp(rng.normal(0, 0.18))
    return np.array([1 / warm, 1.0, warm], np.float32)


def random_exposure(light: NDArray[np.float32], rng: Rng) -> float:
    """A gain that puts the picture's mean somewhere between dim and washed out."""
    mean = float(light.mean()) + 1e-4
    exposure = rng.uniform(0.13, 0.5) / mean
    bright = float(np.percentile(light, 97)) + 1e-4
    # Cameras hold the highlights back, mostly.
    return min(exposure, rng.choice([rng.uniform(0.5, 1.1), rng.uniform(0.9, 2.0)]) / bright)


def _motion_blur(image: NDArray[np.float32], rng: Rng, blur_px: float) -> NDArray[np.float32]:
    length = rng.uniform(1, 5) * blur_px
    if length < 1.5:
        return image
    size = int(length) | 1
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, math.pi)
    c = size // 2
    tip = (c * math.cos(angle), c * math.sin(angle))
    cv2.line(
        kernel,
        (round(c - tip[0]), round(c - tip[1])),
        (round(c + tip[0]), round(c + tip[1])),
        1.0,
        1,
    )
    return np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.float32)
