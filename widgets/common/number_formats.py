"""Numbers as a reader reads them: decimals with a true minus, bytes in binary units, operations in G, T or E."""

from __future__ import annotations

from math import floor, log10

BINARY = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
FEW = 1e-4  # a share below this is written as "under 0.01%"
LEAST = 1e-3  # what is less says no more to a reader
DECIMAL = (("E", 1e18), ("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3))


def fixed(number: float, digits: int = 3) -> str:
    """A number with so many decimals, a true minus sign, and no minus before nothing but zeros."""
    text = f"{number:.{digits}f}"
    return text.replace("-", "−") if text.strip("-0.") else text.removeprefix("-")


def written_bytes(number: int) -> str:
    """Bytes with three digits, such as "512 MiB"."""
    for unit, size in BINARY:
        if number >= size:
            return f"{number / size:,.3g} {unit}" if number < 1000 * size else f"{number / size:,.0f} {unit}"
    return f"{number:,} bytes"


def digits(number: float, kept: int = 3) -> str:
    """A positive number with so many digits that mean something, never as a power of ten: "224", "71,300", "under
    0.001"."""
    if number < LEAST:
        return f"under {LEAST:g}"
    rounded = float(f"{number:.{kept - 1}e}")
    return f"{rounded:,.{max(kept - 1 - floor(log10(rounded)), 0)}f}"


def percent(share: float) -> str:
    """A share, 0 to 1, so that little never reads as nothing: "32.7%", "0.04%", "under 0.01%", "nothing"."""
    if 0 < share < FEW:
        return f"under {FEW:.2%}"
    return f"{share:.{1 if share >= 10 * FEW else 2}%}" if share else "nothing"


def short(number: float) -> str:
    """A count with three digits and its unit, such as "17.6 G"."""
    for unit, size in DECIMAL:
        if number >= size:
            return f"{number / size:,.3g} {unit}" if number < 1000 * size else f"{number / size:,.0f} {unit}"
    return f"{number:,.3g}"
