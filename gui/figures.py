"""Numbers as people read them; the exact ones belong into tool tips."""

from __future__ import annotations

import math
from datetime import datetime

from PySide6.QtCore import QCoreApplication


def duration(seconds: float) -> str:
    """0.8 s, 12 s, 4 min 5 s, 1 h 12 min, 3 d 4 h."""
    if not math.isfinite(seconds):
        return "-"
    seconds = max(0.0, seconds)
    if seconds < 9.95:
        return QCoreApplication.translate("Figures", "{0} s").format(f"{seconds:.1f}")
    whole = round(seconds)
    if whole < 60:
        return QCoreApplication.translate("Figures", "{0} s").format(whole)
    if whole < 3600:
        text = QCoreApplication.translate("Figures", "{0} min {1} s")
        return text.format(*divmod(whole, 60))
    if whole < 86400:
        text = QCoreApplication.translate("Figures", "{0} h {1} min")
        return text.format(whole // 3600, whole % 3600 // 60)
    text = QCoreApplication.translate("Figures", "{0} d {1} h")
    return text.format(whole // 86400, whole % 86400 // 3600)


def rough_duration(seconds: float) -> str:
    """For what is only guessed: one unit, or two for hours."""
    if seconds < 60:
        step = 5 if seconds > 10 else 1
        seconds = max(step, step * round(seconds / step))
        return QCoreApplication.translate("Figures", "{0} s").format(seconds)
    if seconds < 3600:
        return QCoreApplication.translate("Figures", "{0} min").format(round(seconds / 60))
    return duration(60 * round(seconds / 60))


def clock(seconds: float) -> str:
    """Elapsed time with figures that keep their places: 0:07, 12:05, 1:02:03."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def time_of_day(epoch: float) -> str:
    return datetime.fromtimestamp(epoch).strftime("%H:%M:%S")


def date_and_time(epoch: float) -> str:
    return datetime.fromtimestamp(epoch).strftime("%Y-%m-%d %H:%M")


def size(count: int) -> str:
    """Bytes as kB, MB or GB."""
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def rank_list(ranks: list[int]) -> str:
    """0, 1 to 3, 7: neighbours are drawn together when there are three or more."""
    parts: list[str] = []
    ordered = sorted(ranks)
    while ordered:
        length = 1
        while length < len(ordered) and ordered[length] == ordered[0] + length:
            length += 1
        if length < 3:
            length = 1
        parts.append(f"{ordered[0]}-{ordered[length - 1]}" if length > 1 else str(ordered[0]))
        ordered = ordered[length:]
    return ", ".join(parts)
