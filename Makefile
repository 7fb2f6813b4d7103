# `make run` and `make test` set up everything they need on a machine that has Python 3.10 or newer, git and make.
# ARGS goes to the program: make run ARGS=my.mcts · make test ARGS="tests/test_layers.py -k down"

VENV := .venv
PYTHON := $(VENV)/bin/python
PIP := $(PYTHON) -m pip --disable-pip-version-check --require-virtualenv
# the interpreter to make the environment with: make run BASE_PYTHON=python3.12
BASE_PYTHON ?=
# processes that run tests, a file in one of them; none: make test PARALLEL=
PARALLEL ?= -n auto --maxprocesses 4 --dist loadfile

.PHONY: run test check format bench pictures clean

run: $(VENV)/.ready-to-run
	@$(PYTHON) app.py $(ARGS)

test: $(VENV)/.ready-to-test
	@$(PYTHON) -m tests.chromium
	@$(PYTHON) -m pytest $(PARALLEL) $(ARGS)

check: $(VENV)/.ready-to-test
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

format: $(VENV)/.ready-to-test
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

bench: $(VENV)/.ready-to-test
	$(PYTHON) -m benchmarks $(ARGS)

pictures: $(VENV)/.ready-to-test
	@$(PYTHON) -m tests.chromium
	@$(PYTHON) -m docs.make_pictures

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache test-results

# A stamp is newer than the requirements that it stands for: nothing is asked of pip until they change.
$(VENV)/.ready-to-run: requirements.txt $(PYTHON)
	@echo "Installing what the app needs into $(VENV) (the first time takes a minute or two) ..."
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m ensurepip >/dev/null
	@$(PIP) install --quiet -r requirements.txt
	@touch $@

$(VENV)/.ready-to-test: requirements-dev.txt $(VENV)/.ready-to-run
	@echo "Installing what the tests need into $(VENV) ..."
	@$(PIP) install --quiet -r requirements-dev.txt
	@touch $@

# also when the interpreter that the environment was made with is gone: the link then leads nowhere
$(PYTHON):
	@BASE_PYTHON="$(BASE_PYTHON)" sh scripts/make-venv.sh $(VENV)
