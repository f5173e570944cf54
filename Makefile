# Two commands for a newcomer: `make demo` and `make test`. Both set up what they need; a second run
# skips what is there. PYTHON chooses the interpreter (3.11 to 3.13).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS := .ci/constraints.txt
PYTEST_ARGS ?=
AUTOSTART ?=
ARGS := $(if $(AUTOSTART),--autostart)

.PHONY: help demo test check format setup provision system-window system-all bench clean lint types contracts translations screenshots

help:
	@echo "make demo         set up, then open the window on a rehearsal with four hosts (AUTOSTART=1 starts it)"
	@echo "make test         set up, then run every check and test"
	@echo "make check        formatting, lint, types, import rules"
	@echo "make bench        print the benchmarks' figures as JSON lines"
	@echo "make format       format and fix what can be fixed"
	@echo "make screenshots  pictures of the window: light, dark, English, Korean, two sizes"
	@echo "make translations update and compile the Korean texts"
	@echo "make clean        remove what make made (not the cache of built Horovod wheels)"

# ---- setting up ----------------------------------------------------------------------------------

system-window:
	@PYTHON="$(PYTHON)" .ci/system-packages build window $(if $(DISPLAY)$(WAYLAND_DISPLAY),,screen)

system-all:
	@PYTHON="$(PYTHON)" .ci/system-packages build window screen

$(VENV)/.installed: pyproject.toml $(CONSTRAINTS)
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
	  { echo "Maypole needs Python 3.11 to 3.13; $(PYTHON) is another. Say make PYTHON=python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Python packages (the first time takes a few minutes) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) 'setuptools<80' wheel
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) -e '.[dev,train]'
	@touch $@

provision: $(VENV)/.installed
	@$(BIN)/python -m trainer provision --python $(BIN)/python

setup: $(VENV)/.installed provision

# ---- using ---------------------------------------------------------------------------------------

demo: system-window setup
	@$(BIN)/python tests/demo.py $(ARGS)

bench: system-all setup
	@$(BIN)/python tests/bench/run.py --all

screenshots: system-window $(VENV)/.installed
	@mkdir -p test-artifacts
	@settings=$$(mktemp -d) && trap 'rm -rf "$$settings"' EXIT && \
	  QT_QPA_PLATFORM=offscreen $(BIN)/python tests/helpers/programs/window_pictures.py "$$settings" test-artifacts
	@echo "They are in test-artifacts"

# ---- checking ------------------------------------------------------------------------------------

lint: $(VENV)/.installed
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: $(VENV)/.installed
	@$(BIN)/mypy

contracts: $(VENV)/.installed
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports

check: lint types contracts

test: system-all setup check
	@$(BIN)/python -m pytest $(PYTEST_ARGS)

format: $(VENV)/.installed
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

translations: $(VENV)/.installed
	@$(BIN)/python resources/translations/update.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache demo-output test-artifacts
