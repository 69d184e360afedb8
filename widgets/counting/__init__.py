"""Chapters 08 and 09: parameters, shapes, operations, memory and time."""
