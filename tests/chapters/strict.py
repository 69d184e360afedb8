"""nbval as this course uses it: strict on what is printed, silent on pictures and live widgets.

Rich outputs (HTML, scripts, pictures, widgets) are dropped on both sides of the comparison, and stderr too. Every
notebook runs with stills on, in a folder of progress of its own.
"""

from __future__ import annotations

import os
import tempfile
from functools import wraps
from typing import Any

from nbval.plugin import IPyNbCell, IPyNbFile

RICH = ("text/html", "application/javascript", "image/", "application/vnd.")
SECONDS = 120
"""The longest silence of a cell; nbval's own limit of 5 s is shorter than loading a model."""


def is_printed(output: Any) -> bool:
    """Whether an output is text that must match."""
    if output.output_type == "stream":
        return output.name == "stdout"
    data = output.get("data")
    return data is None or (bool(data) and not any(name.startswith(RICH) for name in data))


def install() -> None:
    """Wrap nbval's cell and file once for this process."""
    if hasattr(IPyNbCell.compare_outputs, "__wrapped__"):
        return
    compare, begin, setup, teardown = (
        IPyNbCell.compare_outputs,
        IPyNbCell.__init__,
        IPyNbFile.setup,
        IPyNbFile.teardown,
    )

    @wraps(compare)
    def compare_printed(self: IPyNbCell, test: Any, ref: Any, skip_compare: Any = None) -> Any:
        return compare(self, list(filter(is_printed, test)), list(filter(is_printed, ref)), skip_compare)

    @wraps(begin)
    def begin_patient(self: IPyNbCell, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        self.output_timeout = SECONDS

    @wraps(setup)
    def setup_fresh(self: IPyNbFile) -> None:
        self.progress = tempfile.TemporaryDirectory()
        os.environ |= {"VIT_COURSE_STILLS": "1", "VIT_COURSE_PROGRESS": self.progress.name}
        setup(self)

    @wraps(teardown)
    def teardown_fresh(self: IPyNbFile) -> None:
        teardown(self)
        self.progress.cleanup()

    IPyNbCell.compare_outputs, IPyNbCell.__init__ = compare_printed, begin_patient
    IPyNbFile.setup, IPyNbFile.teardown = setup_fresh, teardown_fresh


install()
