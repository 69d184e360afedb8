"""A quiz asks in words that its reader has met, in its chapter or before."""

from __future__ import annotations

import re

import nbformat
import pytest

from widgets.lesson import contents
from widgets.lesson.quiz_data import QuizQuestion, chapters, questions

TERMS = (
    "JFT",
    "Adam",
    "moments",
    "optimiser",
    "gradient",
    "loss",
    "epochs?",
    "batch",
    "TPU",
    "kernel",
    "pretrain",
    "fine-tun",
    "teacher",
    "student",
    "self-supervised",
    "LayerNorm",
    "SwiGLU",
    "gated",
    "registers?",
    "rotary",
    "JAX",
    "ports?",
    "FlashAttention",
    "utilisation",
    "roofline",
)


def words_of(question: QuizQuestion) -> str:
    return " ".join([question.text, *(text for option in question.options for text in (option.text, option.why))])


def told_up_to(chapter: str) -> str:
    """The text of all chapters up to and including one."""
    paths = [path for path in sorted(contents.FOLDER.glob("*.ipynb")) if path.name[:2] <= chapter]
    return "\n".join(
        cell.source
        for path in paths
        for cell in nbformat.read(path, as_version=4).cells
        if cell.cell_type == "markdown"
    )


@pytest.mark.parametrize("chapter", chapters())
def test_no_term_is_used_before_a_chapter_has_told_it(chapter: str) -> None:
    told, early = told_up_to(chapter), []
    for question in questions(chapter):
        said = words_of(question)
        early += [
            (question.id, term) for term in TERMS if re.search(rf"\b{term}", said) and not re.search(rf"\b{term}", told)
        ]
    assert not early
