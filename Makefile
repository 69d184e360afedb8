# The course from nothing: `make course` opens it, `make test` proves it. Every target may be repeated.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
PORT ?= 5006

.PHONY: course lab lint test bench chapters look checkpoint clean

course: checkpoint
	$(BIN)/python -m widgets serve --port $(PORT)

lab: checkpoint
	$(BIN)/jupyter lab chapters/00_first_look.ipynb

checkpoint: $(READY)
	$(BIN)/python -m widgets fetch dinov2-small

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[test]'
	touch $@

lint: $(READY)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tests.lint_types

test: lint checkpoint
	$(BIN)/python -m tests

bench: checkpoint
	$(BIN)/python -m tests.bench

chapters: checkpoint
	$(BIN)/python -m widgets chapters

look: checkpoint
	$(BIN)/python -m tests.browser.look

clean:
	rm -rf .venv look .ruff_cache .mypy_cache .import_linter_cache
