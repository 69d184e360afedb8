"""Chapters 05 and 06: attention by hand, scaled, and by many heads."""
