"""How well letters stand out from what is truly drawn behind them, pixel by pixel."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

LEAST = 4.5
"""The contrast that letters need."""

SHARE = 0.2
"""So much of a word may stand out less: where letters touch a line, as on a kite."""

TEXTS = """(part) => {
  const root = document.querySelector(part);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, top, right, bottom } = range.getBoundingClientRect();
    const own = node.parentElement;
    if (!node.data.trim() || left === right || own.closest(".unseen")) continue;
    const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    if (!seen || !(own.contains(seen) || own.parentElement === seen)) continue;
    let opacity = 1;
    for (let each = own; each; each = each.parentElement) {
      opacity *= Number(getComputedStyle(each).opacity);
    }
    const colour = getComputedStyle(own).color.match(/[\\d.]+/g).map(Number);
    found.push({ text: node.data.trim(), box: [left, top, right, bottom], colour, opacity });
  }
  return found;
}"""
"""The words that can be seen in the window now, with the colour that they are written in."""

HIDE = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { -webkit-text-fill-color: transparent !important; }");
  document.adoptedStyleSheets = [sheet];
}"""
SHOW = "() => { document.adoptedStyleSheets = []; }"

SCROLL = """([part, by]) => {
  const it = document.querySelector(part);
  const before = it.scrollTop;
  it.scrollTop += by * it.clientHeight;
  return it.scrollTop > before;
}"""


def faint(page: Any, part: str = "html") -> list[str]:
    """Words in a part of the page that stand out too little, scrolled through from its top."""
    page.evaluate(SCROLL, [part, -1000])
    found = _faint_now(page, part)
    while page.evaluate(SCROLL, [part, 0.9]):
        found += _faint_now(page, part)
    page.evaluate(SCROLL, [part, -1000])
    return found


def _faint_now(page: Any, part: str) -> list[str]:
    texts = page.evaluate(TEXTS, part)
    written = _picture(page)
    page.evaluate(HIDE)
    bare = _picture(page)
    page.evaluate(SHOW)
    ratios = {it["text"]: _contrast(it, written, bare) for it in texts}
    return [f"{text}: {ratio:.1f}" for text, ratio in ratios.items() if ratio < LEAST]


def _picture(page: Any) -> NDArray[np.float64]:
    """What is drawn in the window, as colours of shape (height, width, 3)."""
    picture = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return picture[:, :, ::-1].astype(np.float64)


def _contrast(
    text: dict[str, Any], written: NDArray[np.float64], bare: NDArray[np.float64]
) -> float:
    """Of the word's colour to what is behind its letters; where nothing covers them."""
    left, top, right, bottom = (max(0, round(edge)) for edge in text["box"])
    place = np.s_[top:bottom, left:right]
    letters = np.abs(written[place] - bare[place]).max(axis=2) > 0
    behind = bare[place][letters]
    if not len(behind):
        return 1.0
    red, green, blue, *alpha = text["colour"]
    cover = text["opacity"] * (alpha[0] if alpha else 1.0)
    drawn = cover * np.array([red, green, blue]) + (1 - cover) * behind
    one, other = _luminance(drawn), _luminance(behind)
    light, dark = np.maximum(one, other), np.minimum(one, other)
    return float(np.quantile((light + 0.05) / (dark + 0.05), SHARE))


def _luminance(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of colours of shape (n, 3), 0-255: how bright each is, 0-1."""
    shares = colours / 255
    linear = np.where(shares <= 0.03928, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))
