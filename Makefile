# `make run` and `make test` set up everything they need on a machine that has Python 3.10 or newer, git and make.
# ARGS goes to the program: make run ARGS=my.mcts · make test ARGS="tests/test_layers.py -k down"
# make test takes six to fifteen minutes on two cores, by how fast they are; make test-thorough also runs what takes long by its nature.

VENV := .venv
PYTHON := $(VENV)/bin/python
NPM := PATH="$(CURDIR)/$(VENV)/bin:$$PATH" npm
# uv installs in a third of the time that pip takes; where it cannot, as it does not know how pip is set up here, pip does.
PIP := $(PYTHON) -m pip --disable-pip-version-check --require-virtualenv install --quiet --no-compile
GET_PIP := { $(PYTHON) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m ensurepip >/dev/null; }
GET_UV := { $(PYTHON) -m uv --version >/dev/null 2>&1 || $(PIP) 'uv>=0.5'; }
UV := $(PYTHON) -m uv pip install --python $(PYTHON) --quiet $${PIP_INDEX_URL:+--default-index "$$PIP_INDEX_URL"}
install = $(GET_PIP) && { { $(GET_UV) && $(UV) -r $(1); } || { echo "uv could not; pip installs it ..." && $(PIP) -r $(1); }; }
# the interpreter to make the environment with: make run BASE_PYTHON=python3.12
BASE_PYTHON ?=
# processes that run tests, a file in one of them; none: make test PARALLEL=
PARALLEL ?= -n auto --maxprocesses 4 --dist loadfile
# What numba and jax have compiled stays beside the environment, for the next run and for a new checkout. Names of compiled
# searches have a digest of their sources.
test test-thorough: export NUMBA_CACHE_DIR ?= $(CURDIR)/$(VENV)/numba-cache
test test-thorough: export JAX_COMPILATION_CACHE_DIR ?= $(CURDIR)/$(VENV)/jax-cache
test test-thorough: export JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS ?= 0
# Nor is Python compiled anew: by every process that tests start, and by pytest, which adds words to each assertion.
test test-thorough bench: export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-thorough check format bench pictures fleet-demo clean

run: $(VENV)/.ready-to-run
	@$(PYTHON) app.py $(ARGS)

test: $(VENV)/.ready-to-test
	@$(PYTHON) -m tests.chromium
	@$(PYTHON) -m pytest $(PARALLEL) $(ARGS)

# every test, those marked `thorough` too
test-thorough: $(VENV)/.ready-to-test
	@$(PYTHON) -m tests.chromium
	@$(PYTHON) -m pytest $(PARALLEL) -m "thorough or not thorough" $(ARGS)

check: $(VENV)/.ready-to-test node_modules/.ready
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) scripts/audit.py
	$(NPM) run --silent check

format: $(VENV)/.ready-to-test node_modules/.ready
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .
	$(NPM) run --silent format

bench: $(VENV)/.ready-to-test
	$(PYTHON) -m benchmarks $(ARGS)

pictures: $(VENV)/.ready-to-test
	@$(PYTHON) -m tests.chromium
	@$(PYTHON) -m docs.make_pictures

# two engines, one of them with a fault, 200 games, and the three clicks that lead to it; make fleet-demo ARGS=--no-page
fleet-demo: $(VENV)/.ready-to-test
	@$(PYTHON) -m scripts.fleet_demo $(ARGS)

clean:
	rm -rf $(VENV) node_modules build dist .mypy_cache .pytest_cache .ruff_cache test-results

# A stamp is newer than the requirements that it stands for: nothing is asked of the network until they change.
$(VENV)/.ready-to-run: requirements.txt $(PYTHON)
	@echo "Installing what the app needs into $(VENV) (the first time takes up to two minutes) ..."
	@$(call install,requirements.txt)
	@touch $@

# in one go with what the app needs, so that versions that go together are looked for once
$(VENV)/.ready-to-test: requirements-dev.txt requirements.txt $(PYTHON)
	@echo "Installing what the app and its tests need into $(VENV) (the first time takes one to three minutes) ..."
	@$(call install,requirements-dev.txt)
	@touch $(VENV)/.ready-to-run $@

# what checks the JavaScript; node and npm come with the tests' requirements
node_modules/.ready: package.json package-lock.json $(VENV)/.ready-to-test
	@echo "Installing what checks the JavaScript into node_modules ..."
	@$(NPM) ci --silent
	@touch $@

# also when the interpreter that the environment was made with is gone: the link then leads nowhere
$(PYTHON):
	@BASE_PYTHON="$(BASE_PYTHON)" sh scripts/make-venv.sh $(VENV)
