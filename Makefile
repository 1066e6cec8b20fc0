# Everything is installed into VENV, at the versions in constraints.txt, and again only when that
# file or pyproject.toml changes.
#   make PYTHON=python3.13 test     another interpreter (for a new VENV)
#   make test ARGS="-k claims"      some tests

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

BIN := $(VENV)/bin
RUN := $(VENV)/.installed-to-run
EAGLE := $(VENV)/.installed-to-generate
DEV := $(VENV)/.installed-to-develop

# Older releases of pip take the second variable for nobody's, newer ones do not apply the first to
# what a package is built with.
PIP := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	$(BIN)/python -m pip --disable-pip-version-check install --quiet

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help run records generate test lint latex bench bench-eagle clean

help:
	@echo 'make run          check the records, show one, and generate text with drafts and without'
	@echo 'make test         run all tests'
	@echo 'make lint         style, types, docstrings, schemas, records, README'
	@echo 'make latex        compile the exports of all papers with LaTeX, by BibTeX and by biber'
	@echo 'make bench        time the registry on made-up records, and asking on played hosts'
	@echo 'make bench-eagle  time decoding with drafts, without, and by transformers; ARGS=--quick'
	@echo 'make clean        remove what these made'

# In this order: the records need no torch, and no model.
run: records generate

records: $(RUN)
	$(BIN)/registry verify
	@echo
	$(BIN)/registry show eagle

generate: $(EAGLE)
	@echo
	$(BIN)/eagle_impl generate --compare --max-new-tokens 96 \
		"Write a letter to a friend about a walk in the rain."

test: $(DEV)
	@$(BIN)/python -m pytest $(ARGS)

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/registry schema --check
	$(BIN)/registry verify --strict
	$(BIN)/eagle_impl figures --check README.md
	$(BIN)/python -m pytest --quiet tests/test_readme.py

latex: $(RUN)
	@$(BIN)/python tests/bibliography/latex.py

bench: $(RUN)
	@$(BIN)/python -m registry.bench $(ARGS)
	@$(BIN)/python tests/sources/bench_live.py
	@$(BIN)/python tests/sources/faults.py

bench-eagle: $(DEV)
	@$(BIN)/python -m eagle_impl.bench $(ARGS)

clean:
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find registry eagle_impl tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Python 3.11 or later is needed; name one: make PYTHON=python3.13 ...' >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

# To have been made is enough: an interpreter's own date says nothing about what was installed.
$(RUN): pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing the registry into $(VENV)'
	@$(PIP) --editable .
	@touch $@

$(EAGLE): pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing what generating needs into $(VENV)'
	@$(PIP) --editable '.[eagle]'
	@touch $(RUN) $@

$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	@echo 'Installing the registry and the tools that tests need into $(VENV)'
	@$(PIP) --editable '.[dev,eagle,huggingface,plot]'
	@touch $(RUN) $(EAGLE) $@
