"""The one way in which the course says that something cannot be used."""

from __future__ import annotations


class Refused(ValueError):
    """What was given cannot be used, and why: the message is a sentence for the reader.

    It is raised where that is known. Anything else that is raised is a failure of the course's own.
    """
