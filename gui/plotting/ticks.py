"""Where the ticks of an axis stand and what they say. Pure functions."""

from __future__ import annotations

import math
import time

_TIME_STEPS = (
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600,
    900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800,
)  # fmt: skip
_MOST_TICKS = 200


def nice_step(span: float, count: float) -> float:
    """A step of 1, 2 or 5 times a power of ten that divides ``span`` into at most ``count`` parts."""
    if not (span > 0 and math.isfinite(span)) or count <= 0:
        return 1.0
    rough = span / count
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))


def time_step(span: float, count: float) -> float:
    """As nice_step, for seconds."""
    rough = span / max(count, 1e-9)
    return next((step for step in _TIME_STEPS if step >= rough), nice_step(span, count))


def multiples(low: float, high: float, step: float, origin: float = 0.0) -> list[float]:
    """The values origin + n * step within [low, high]."""
    first, last = math.ceil((low - origin) / step - 1e-9), math.floor((high - origin) / step + 1e-9)
    if last - first > _MOST_TICKS:
        return []
    return [origin + n * step for n in range(first, last + 1)]


def log_ticks(low: float, high: float, count: float) -> list[float]:
    """Ticks for an axis of powers of ten; the values are exponents."""
    decades = high - low
    if decades > count:
        return multiples(low, high, max(1.0, float(math.ceil(decades / count))))
    digits = (1, 2, 5) if decades * 3 <= count * 1.5 else (1,)
    if decades < 0.5:
        span = 10**high - 10**low
        values = multiples(10**low, 10**high, nice_step(span, count))
        return [math.log10(value) for value in values if value > 0]
    exponents = range(math.floor(low) - 1, math.ceil(high) + 1)
    ticks = [n + math.log10(digit) for n in exponents for digit in digits]
    return [tick for tick in ticks if low <= tick <= high]


def number_text(value: float, step: float) -> str:
    """As many digits as tell neighbours ``step`` apart; thousands grouped; powers of ten at the ends."""
    if abs(value) < step * 1e-6:
        return "0"
    if abs(value) >= 1e7 or abs(value) < 1e-3:
        digits = max(0, math.floor(math.log10(abs(value))) - math.floor(math.log10(step) + 1e-9))
        mantissa, exponent = f"{value:.{min(digits, 9)}e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:,.{min(places, 9)}f}"


def duration_text(seconds: float, step: float) -> str:
    """``12 s``-free clock form: m:ss, or h:mm:ss from an hour on."""
    sign, seconds = ("\N{MINUS SIGN}" if seconds < 0 else ""), abs(seconds)
    places = 0 if step >= 1 else min(3, -math.floor(math.log10(step) + 1e-9))
    seconds = round(seconds, places)
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    tail = f"{rest:0{3 + places if places else 2}.{places}f}"
    head = f"{hours:.0f}:{minutes:02.0f}" if hours else f"{minutes:.0f}"
    return f"{sign}{head}:{tail}"


def clock_text(seconds: float, step: float) -> str:
    """Local time of day; with the date when the ticks are a day apart."""
    moment = time.localtime(seconds)
    if step >= 86400:
        return time.strftime("%m-%d", moment)
    if step >= 60:
        return time.strftime("%H:%M", moment)
    text = time.strftime("%H:%M:%S", moment)
    places = 0 if step >= 1 else min(3, -math.floor(math.log10(step) + 1e-9))
    return text + (f"{seconds % 1:.{places}f}"[1:] if places else "")


def day_origin(seconds: float) -> float:
    """The local midnight before a moment: round times of day are multiples of a step from there."""
    day = time.localtime(seconds)
    return time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0, 0, 0, -1))


def value_text(value: float) -> str:
    """A metric's value for reading at a glance: four digits that count."""
    if not math.isfinite(value):
        return (
            "NaN"
            if math.isnan(value)
            else ("\N{INFINITY}" if value > 0 else "\N{MINUS SIGN}\N{INFINITY}")
        )
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def exact_text(value: float) -> str:
    """Every digit that the number has."""
    return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(float(value))
