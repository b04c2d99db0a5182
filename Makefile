# The README's two commands under short names; PYTHON picks another interpreter.
PYTHON ?= python3
BIN = .venv/bin

demo:
	$(PYTHON) -m venv .venv && $(BIN)/pip install -q '.[meaning]' && $(BIN)/outgroup demo

test:
	$(PYTHON) -m venv .venv && $(BIN)/pip install -q '.[test]' && $(BIN)/python -m pytest -n auto

# Python files are then read from src; run it again after a change of the C++ ones.
develop:
	$(PYTHON) -m venv .venv && $(BIN)/pip install -q -e '.[dev]'

lint:
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

# The page's JavaScript: types, lint and format, by npm with the versions of package-lock.json.
page:
	npm ci --no-audit --no-fund --silent && npm run --silent check

# The pages as a site, in build/site: what a reader would find missing is an error.
site:
	$(BIN)/sphinx-build -q -W --keep-going -c docs/site . build/site

# The help of all commands as a man page, in build/outgroup.1: man -l build/outgroup.1
man:
	mkdir -p build && $(BIN)/python docs/site/commands.py build/outgroup.rst && \
	$(BIN)/docutils --writer=manpage build/outgroup.rst build/outgroup.1

# Ten minutes of random cases: the suite tries the same ones each time.
fuzz:
	$(BIN)/python -m tests.fuzz 10

# Two hundred runs killed at random moments: what each leaves.
kills:
	$(BIN)/python -m bench kills 200

# One wrong line at a time, of a fixed list: does a test notice?
mutants:
	$(BIN)/python -m bench mutants

# The lowest versions that pyproject.toml allows, in an environment of their own.
lowest:
	$(PYTHON) -m venv .lowest && .lowest/bin/pip install -q uv && \
	.lowest/bin/uv pip install -q -p .lowest/bin/python --resolution lowest-direct '.[test-all]' && .lowest/bin/python -m pytest -n auto

# The numerical part under each kernel of OpenBLAS that the processor has.
blas:
	.ci/blas $(BIN)/python

numerical:
	@echo tests/solve tests/cluster tests/rows tests/storage tests/session

.PHONY: demo test develop lint page site man fuzz lowest kills mutants blas numerical
