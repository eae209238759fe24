"""The five nets: find dice in a picture, place a die's up face, tell whether the tray is level
with it, tell whether the die leans, read the face unwrapped."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

READER_CLASSES = [str(d) for d in range(10)] + ["ten", "junk"]
POSE_SIZE = 64
POSE_MAP = 32
READER_SIZE = 40
LEVEL_SIZE = 48
LEAN_SIZE = 40


def conv(cin: int, cout: int, stride: int = 1, kernel: int = 3) -> nn.Sequential:
    """Convolution, batch norm, ReLU."""
    return nn.Sequential(
        nn.Conv2d(cin, cout, kernel, stride, kernel // 2, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class Separable(nn.Module):
    """Residual depthwise-separable block: large view, few multiplications."""

    def __init__(self, channels: int, kernel: int = 5) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, kernel, 1, kernel // 2, groups=channels, bias=False),
            nn.BatchNorm2d(channels),
            nn.Conv2d(channels, 2 * channels, 1, bias=False),
            nn.BatchNorm2d(2 * channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(2 * channels, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.body(x))


class Residual(nn.Module):
    """Two 3x3 convolutions around a shortcut."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = conv(channels, channels)
        self.second = nn.Sequential(
            nn.Conv2d(channels, channels, 3, 1, 1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.second(self.first(x)))


class Finder(nn.Module):
    """Where dice are: a map at a quarter of the picture's size.

    Input `(n, 3, h, w)`, RGB 0-1, h and w multiples of 32. Output `(n, 6, h/4, w/4)`:
    logits of "a die here" and "it is a d10", offset x, y of the centre in cells, log width and
    height in units of 32 input pixels.
    """

    OUTPUTS = 6

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(conv(3, 12, 2), conv(12, 24, 2))
        self.eighth = nn.Sequential(conv(24, 48, 2), Separable(48), Separable(48))
        self.sixteenth = nn.Sequential(conv(48, 80, 2), Separable(80), Separable(80))
        self.thirtysecond = nn.Sequential(conv(80, 80, 2), Separable(80), Separable(80))
        self.up32 = nn.Conv2d(80, 80, 1)
        self.mix16 = Separable(80)
        self.up16 = nn.Conv2d(80, 48, 1)
        self.mix8 = nn.Sequential(Separable(48), Separable(48))
        self.head = nn.Conv2d(48, 4 * self.OUTPUTS, 1)
        with torch.no_grad():
            assert self.head.bias is not None
            self.head.bias.zero_()
            self.head.bias[:4] = -4.5

    def forward(self, x: Tensor) -> Tensor:
        x = (x - 0.45) * 4.0
        eighth = self.eighth(self.stem(x))
        sixteenth = self.sixteenth(eighth)
        deepest = self.thirtysecond(sixteenth)
        sixteenth = self.mix16(
            sixteenth + F.interpolate(self.up32(deepest), scale_factor=2.0, mode="nearest")
        )
        eighth = self.mix8(
            eighth + F.interpolate(self.up16(sixteenth), scale_factor=2.0, mode="nearest")
        )
        return F.pixel_shuffle(self.head(eighth), 2)


class Pose(nn.Module):
    """Where the up face's four corners are in a crop around a die.

    Input: `(n, 3, 64, 64)` RGB 0-1 and `(n, 2)`: the tray normal's x, y in the picture, known
    or supposed. Outputs: corner logits `(n, 4, 32, 32)` (pole, right, blunt, left) and signs
    `(n, 3)`: logits of d10, cocked, covered.
    """

    def __init__(self, width: int = 20) -> None:
        super().__init__()
        w = width
        self.first = conv(3, w, 2)
        self.second = nn.Sequential(conv(w, 2 * w, 2), Residual(2 * w))
        self.third = nn.Sequential(conv(2 * w, 4 * w, 2), Residual(4 * w))
        self.tell = nn.Linear(2, 4 * w)
        self.look = nn.Sequential(nn.Linear(4 * w * 2, 64), nn.ReLU(inplace=True))
        self.spread = nn.Linear(64, 4 * w)
        self.fourth = Residual(4 * w)
        self.squeeze = conv(4 * w, 16, kernel=1)
        self.signs = nn.Sequential(
            nn.Linear(16 * 64 + 4 * w, 64), nn.ReLU(inplace=True), nn.Linear(64, 3)
        )
        self.up = nn.Conv2d(4 * w, 2 * w, 1)
        self.mix = conv(2 * w, 2 * w)
        self.corners = nn.Conv2d(2 * w, 16, 1)

    def forward(self, x: Tensor, view: Tensor) -> tuple[Tensor, Tensor]:
        x = (x - 0.45) * 4.0
        second = self.second(self.first(x))
        third = self.third(second) + self.tell(view)[:, :, None, None]
        pooled = torch.cat([third.mean(dim=(2, 3)), third.amax(dim=(2, 3))], dim=1)
        seen = self.look(pooled)
        third = self.fourth(third + self.spread(seen)[:, :, None, None])
        mixed = self.mix(second + F.interpolate(self.up(third), scale_factor=2.0, mode="nearest"))
        places = torch.cat([self.squeeze(third).flatten(1), third.amax(dim=(2, 3))], dim=1)
        return F.pixel_shuffle(self.corners(mixed), 2), self.signs(places)


def standardised(x: Tensor) -> Tensor:
    """Pictures `(n, 3, h, w)` with the mean taken off and the contrast evened out, each its own."""
    mean = x.mean(dim=(1, 2, 3), keepdim=True)
    spread = ((x - mean) ** 2).mean(dim=(1, 2, 3), keepdim=True).sqrt()
    return (x - mean) / (spread + 0.03)


def patch_body(first: int, second: int, third: int) -> nn.Sequential:
    """Convolutions that halve a small picture three times, with so many channels after each."""
    return nn.Sequential(
        conv(3, first, 2),
        conv(first, second, 2),
        Residual(second),
        conv(second, third, 2),
        Residual(third),
    )


class Reader(nn.Module):
    """Which digit an upright face shows.

    Input `(n, 3, 40, 40)` RGB 0-1, output logits `(n, 12)` over `READER_CLASSES`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = patch_body(24, 40, 80)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(80 * 25, len(READER_CLASSES))

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.drop(self.body(standardised(x)).flatten(1)))


class Level(nn.Module):
    """Whether the tray lies parallel to the face supposed to be up.

    Input `(n, 3, 48, 48)` RGB 0-1, the die turned so that the supposed normal of the tray points
    to the picture's top, and `(n, 3)`: the sine of the supposed tilt and the direction of the
    face's pole (x, y). Output logits `(n,)`, to be compared among the faces of one die.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = patch_body(24, 40, 64)
        self.tell = nn.Linear(3, 64)
        self.drop = nn.Dropout(0.1)
        self.hidden = nn.Linear(64 * 36, 64)
        self.out = nn.Linear(64, 1)

    def forward(self, x: Tensor, supposed: Tensor) -> Tensor:
        seen = self.body(standardised(x)).flatten(1)
        return self.out(F.relu(self.hidden(self.drop(seen)) + self.tell(supposed)))[:, 0]


class Lean(nn.Module):
    """Whether a die leans.

    Input `(n, 3, 40, 40)` RGB 0-1, the die turned so that its up face's pole points up, and
    `(n, 2)`: the tray's normal in this picture (right, up). Output `(n, 3)`: the logit that it
    leans, and where its face's normal is beside the tray's (right, up), as sines.
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = patch_body(20, 32, 56)
        self.tell = nn.Linear(2, 64)
        self.drop = nn.Dropout(0.1)
        self.hidden = nn.Linear(56 * 25, 64)
        self.mix = nn.Linear(64, 64)
        self.out = nn.Linear(64, 3)

    def forward(self, x: Tensor, view: Tensor) -> Tensor:
        seen = self.hidden(self.drop(self.body(standardised(x)).flatten(1)))
        mixed: Tensor = self.out(F.relu(self.mix(F.relu(seen + self.tell(view)))))
        return mixed
