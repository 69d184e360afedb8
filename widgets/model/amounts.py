"""Numbers as a reader reads them: decimals with a true minus, bytes in binary units, operations in G, T or E."""

from __future__ import annotations

BINARY = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
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


def short(number: float) -> str:
    """A count with three digits and its unit, such as "17.6 G"."""
    for unit, size in DECIMAL:
        if number >= size:
            return f"{number / size:,.3g} {unit}" if number < 1000 * size else f"{number / size:,.0f} {unit}"
    return f"{number:,.3g}"
