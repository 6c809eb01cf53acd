# `make` alone lists the targets. Each of them first makes .venv if it is missing or out of date;
# how, and what it says when that fails, is in .ci/make_venv.

BIN := .venv/bin
# For .ci/make_venv: which Python, and how much disk space it asks for (both may stay empty).
PYTHON ?=
MIN_FREE_MB ?=
# Added to the command of a target: make test ARGS="-k castle", make demo ARGS="--help"
ARGS ?=
# As many test processes as there are cores, but no more than 8.
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist worksteal

export PYTHON MIN_FREE_MB

.DEFAULT_GOAL := help
.PHONY: help venv demo test test-fast lint bench clean

help:
	@echo "make demo       show a game, train an agent for about two minutes, evaluate it"
	@echo "make test       the whole test suite"
	@echo "make test-fast  the tests that are not marked slow"
	@echo "make lint       ruff (style, format) and mypy (types)"
	@echo "make bench      how many decisions per second"
	@echo "make venv       only make .venv with everything in it"
	@echo "make clean      remove .venv, caches and builds (runs/ stays)"
	@echo
	@echo "PYTHON=python3.12 picks a Python (3.11 to 3.14); ARGS=\"...\" adds to the command."

venv:
	@sh .ci/make_venv

demo: venv
	@$(BIN)/jerusalem demo $(ARGS)

test: venv
	@$(PYTEST) $(ARGS)

test-fast: venv
	@$(PYTEST) -m "not slow" $(ARGS)

lint: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: venv
	@$(BIN)/jerusalem bench $(ARGS)

clean:
	rm -rf .venv .venv-install.log build dist *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .numba_cache
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
