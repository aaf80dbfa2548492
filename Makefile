# `make demo` and `make test` need Python >= 3.11 and make, nothing else: what they
# use is installed into .venv on the first call and again when pyproject.toml changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Said twice, quiet leaves errors only. A download that breaks off is begun again.
PIP := -m pip --disable-pip-version-check --quiet --quiet
comma := ,
again = $(1) || { sleep 5 && $(1); } || { sleep 30 && $(1); }

.DEFAULT_GOAL := help
# Two installations into one environment at a time would break it.
.NOTPARALLEL:
.PHONY: help demo test test-processes test-evidence test-slow golden test-oldest \
	test-newest lint format bench reproduce study truth docs dist clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

demo: $(VENV)/.has-cli,report ## compare methods on bundled data, leave a report
	@$(BIN)/widemargin demo

# Where Python is told to keep no bytecode, as in many containers, every process would
# compile the package again, and rewrite the asserts of all tests.
lint test test-processes test-evidence test-slow: export PYTHONDONTWRITEBYTECODE =

# File by file: what a file needs compiled is then compiled by one of the two. Linters
# and a browser are not needed for it.
TESTED := anndata$(comma)test
test: $(or $(wildcard $(VENV)/.has-dev),$(VENV)/.has-$(TESTED)) ## run the tests and the doctests
	@$(BIN)/pytest -n 2 --dist loadfile --durations=25

test-processes: $(VENV)/.has-dev ## run the tests that start processes, a browser, a cluster
	@$(BIN)/pytest -n 2 --dist loadfile --durations=25 -m "processes and not slow" tests

test-evidence: $(VENV)/.has-dev ## run the tests of evidence/, and those that simulate
	@$(BIN)/pytest -n 2 --dist loadfile tests/evidence evidence/data
	@$(BIN)/pytest -n 2 -m simulated tests/test_*.py

test-slow: $(VENV)/.has-dev ## run the tests marked slow
	@$(BIN)/pytest -n 2 -m slow tests tests/evidence src

# For changes that users should not notice; `record.py write` accepts what differs.
golden: $(VENV)/.has-dev ## compare scores, answers, reports and messages with the record
	@$(BIN)/python tests/golden/record.py check

# What other packages' releases may change: reading files, the commands, estimators as
# scikit-learn checks them, plots, clusters, and compiled code and its cache.
TESTS ?= tests/test_cli*.py tests/test_common*.py tests/test_dask_client.py \
	tests/test_dask_cluster.py tests/test_engine.py tests/test_kernel_cache.py \
	tests/test_plotting.py tests/test_ranking_tree.py \
	tests/test_report.py tests/test_scikit_learn_use.py tests/test_table.py
EXTRAS ?= test

# Old releases and what they depend on say about each other what is no news.
test-oldest: .venv-oldest/.has-$(EXTRAS) ## run TESTS with the lowest versions allowed
	@NUMBA_CACHE_DIR=$(CURDIR)/.venv-oldest/numba .venv-oldest/bin/pytest -n 2 --dist loadfile \
		-m "not slow" -W default::DeprecationWarning $(TESTS)

test-newest: .venv-newest/.has-$(EXTRAS) ## run TESTS with the newest Python and libraries
	@NUMBA_CACHE_DIR=$(CURDIR)/.venv-newest/numba .venv-newest/bin/pytest -n 2 --dist loadfile \
		-m "not slow" $(TESTS)

SCHEMA := $(BIN)/check-jsonschema --quiet --builtin-schema vendor.

lint: $(VENV)/.has-dev ## check style, types, structure, workflow files
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python tools/docstrings.py --check
	@$(BIN)/pytest --quiet tests/structure
	@$(SCHEMA)github-workflows .github/workflows/*
	@$(SCHEMA)github-issue-forms .github/ISSUE_TEMPLATE/*
	@$(SCHEMA)citation-file-format CITATION.cff

format: $(VENV)/.has-dev ## fix style where it can be fixed
	@$(BIN)/python tools/docstrings.py
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.has-bench ## compare with other packages, and write docs/benchmarks.md
	@$(BIN)/python -m evidence.peers --again
	@$(BIN)/python -m evidence.peers --page

docs: $(VENV)/.has-docs ## run the code in the pages, build the site, check its links
	@$(BIN)/pytest docs --quiet -n 2 --dist loadfile
	@$(BIN)/sphinx-build -W --keep-going --quiet -b html docs docs/_build/html
	@$(BIN)/python docs/_ext/check_links.py docs/_build/html
	@echo "The site: docs/_build/html/index.html"

# Data: a folder named by WIDEMARGIN_DATA, else OpenML where it has them. It goes on
# where it was stopped.
reproduce: $(VENV)/.has-cli,report ## run the papers' experiments, and write docs/papers
	@$(BIN)/python -m evidence.papers all -o evidence/papers/results
	@$(BIN)/python -m evidence.papers --page

truth: $(VENV)/.has-all ## test the answers against known truth, and write docs/truth.md
	@$(BIN)/python -m evidence.truth
	@$(BIN)/python -m evidence.truth --page

study: $(VENV)/.has-all ## compare methods on many tables, and write docs/study.md
	@$(BIN)/python -m evidence.study
	@$(BIN)/python -m evidence.study --page
	@$(BIN)/python -m evidence.stale --measured study

dist: ## build the wheel and the sdist, and try them in clean environments
	@$(PYTHON) -m venv .venv-dist
	@.venv-dist/bin/python -m pip --disable-pip-version-check --quiet install build twine
	@rm -rf dist
	@.venv-dist/bin/python -m build --quiet
	@PYTHON=$(PYTHON) .ci/try-dist

clean: ## remove .venv, caches and build products
	@rm -rf $(VENV) .venv-oldest .venv-newest .venv-dist build dist docs/_build docs/gallery docs/notebooks \
		docs/api/generated docs/drawings/made docs/sg_execution_times.rst .pytest_cache .mypy_cache .ruff_cache \
		.import_linter_cache .hypothesis
	@find src tests evidence -name __pycache__ -type d -prune -exec rm -rf {} + \
		2>/dev/null || true

$(VENV)/.has-venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "widemargin needs Python 3.11 or newer, and '$(PYTHON)' is not;" \
			"name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# Each file says which extras are installed. pip would compile all modules one by one,
# even the tests of other packages.
$(VENV)/.has-%: pyproject.toml | $(VENV)/.has-venv
	@echo "Installing widemargin[$*] into $(VENV) ..." >&2
	@$(call again,$(BIN)/python $(PIP) install --no-compile --editable '.[$*]')
	@$(BIN)/python -m compileall -qq -j 0 -x '[/\\]tests[/\\]' $(VENV) || true
	@touch $@

# AnnData keeps pandas below 3, so it is only there where pandas is old.
.venv-oldest/.has-%: pyproject.toml .ci/lowest.py
	@echo "Installing the lowest versions for widemargin[$*] into .venv-oldest ..." >&2
	@python=$$(.ci/find-python oldest) && rm -rf .venv-oldest && \
		"$$python" -m venv .venv-oldest
	@.venv-oldest/bin/python .ci/lowest.py > .venv-oldest/lowest.txt
	@$(call again,.venv-oldest/bin/python $(PIP) install \
		--constraint .venv-oldest/lowest.txt --editable '.[anndata$(comma)$*]' \
		hypothesis polars pytest pytest-xdist)
	@touch $@

.venv-newest/.has-%: pyproject.toml
	@echo "Installing the newest versions for widemargin[$*] into .venv-newest ..." >&2
	@python=$$(.ci/find-python newest) && rm -rf .venv-newest && \
		"$$python" -m venv .venv-newest
	@$(call again,.venv-newest/bin/python $(PIP) install \
		--editable '.[$*]' hypothesis polars pytest pytest-xdist)
	@touch $@
