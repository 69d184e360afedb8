"""Chapters 04 and 11: where a patch was, and what becomes of it on another grid."""
