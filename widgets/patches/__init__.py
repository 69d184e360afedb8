"""Chapters 02 and 03: pictures cut into patches, and the projection of a patch."""
