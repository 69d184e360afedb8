"""A term is explained before it is used, and no text promises what a page does not do."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from widgets.lesson import contents
from widgets.lesson.predictions import asked
from widgets.lesson.quiz_data import questions

# term, as a pattern: the words that explain it; None where the chapter does without the term
EXPLAINED: dict[str, dict[str, str | None]] = {
    "00": {
        r"layers?": "one round is called a **layer**",
        r"heads?": "**Head**: one such attention",
        r"class token": "**Class token**: one row",
        r"softmax": "**Softmax**: turns the scores",
        r"(?:query|queries|keys?|values?)": "**Query, key, value**: three rows",
        r"logits": "These scores are called *logits*",
        r"LayerNorm": "LayerNorm is the norm's full name",
    },
    "02": {r"heads?": "is called a *head*", r"LayerNorm": None, r"Huge": "H is *Huge*"},
    "03": {
        r"convolution\w*": "A convolution lays a small window",
        r"ResNet": "lets another kind of network, a ResNet",
        r"activation": None,
        r"norms?": None,
    },
    "04": {r"LN": r"$\mathrm{LN}$ is the last norm", r"register\w*": "*Registers* are learned tokens", r"port": None},
}
TERMS = [(chapter, term, words) for chapter, terms in EXPLAINED.items() for term, words in terms.items()]


def read_in_order(chapter: str) -> Iterator[str]:
    """What a reader meets, cell by cell: text, a prediction's words, the quiz; without the goals and the sources."""
    for cell in contents.read(contents.chapter(chapter).path).cells[1:]:
        if cell.cell_type == "markdown":
            yield cell.source.partition("## Sources")[0]
        elif prediction := re.search(r'^predict\("(.+)"\)', cell.source):
            facts = asked()[prediction[1]]
            yield " ".join([facts["question"], *facts.get("choices", ()), facts["why"]])
        elif cell.source.startswith("Quiz("):
            for question in questions(chapter):
                yield " ".join([question.text, *(f"{option.text} {option.why}" for option in question.options)])


@pytest.mark.parametrize(("chapter", "term", "words"), TERMS)
def test_a_term_is_explained_where_it_is_used_first_or_before(chapter: str, term: str, words: str | None) -> None:
    texts, pattern = list(read_in_order(chapter)), re.compile(rf"(?<!\w){term}(?!\w)", re.I if term.islower() else 0)
    used = [n for n, text in enumerate(texts) if pattern.search(text)]
    if words is None:
        assert not used, f"chapter {chapter} uses {term}, which no chapter up to here explains"
    else:
        assert used and next(n for n, text in enumerate(texts) if words in text) <= used[0]


@pytest.mark.parametrize(
    ("chapter", "term"),
    [
        ("08", "pretraining"),
        ("08", "embeddings"),
        ("08", "rotary positions"),
        ("08", "SwiGLU"),
        ("09", "batch"),
        ("09", "epoch"),
        ("09", "TPU"),
        ("09", "optimiser"),
        ("09", "kernel"),
        ("09", "peak"),
        ("09", "gradient"),
        ("11", "fine-tuning"),
    ],
)
def test_a_term_stands_in_bold_where_it_is_explained_and_that_is_its_first_use(chapter: str, term: str) -> None:
    cells = contents.read(contents.chapter(chapter).path).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    first = re.search(rf"(?<!\w){re.escape(term)}", text)
    assert first and text[first.start() - 2 : first.end() + 2] == f"**{term}**", text[
        first.start() - 60 : first.end() + 20
    ]


@pytest.mark.parametrize("chapter", EXPLAINED)
def test_no_text_says_that_an_answer_waits(chapter: str) -> None:
    """What follows a guess is in view: the fold ends at the next heading, and a notebook has none."""
    assert not [text for text in read_in_order(chapter) if re.search(r"answer waits|waits behind", text)]
