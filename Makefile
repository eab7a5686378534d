# Each target does its own set-up: a virtual environment in .venv, made with the first python3 that is new enough.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
# What `make speed` compares with, and `make weight` weighs.
PEERS := langchain-classic==1.0.8 langchain-community==0.4.2 llama-index-core==0.14.25 openai-agents==0.24.0
WEIGHED := langchain-classic==1.0.8 langchain-openai
# The package carries tiktoken's vocabularies as files, for machines that reach a package index and nothing else.
VOCABULARY := llama-index-core==0.14.25
export TIKTOKEN_CACHE_DIR ?= $(wildcard $(CURDIR)/$(VENV)/lib/python3*/site-packages/llama_index/core/_static/tiktoken_cache)
ARGS ?=

.PHONY: compare test faults sequences lint types wheel bench speed weight record clean

compare: $(VENV)/.run  ## compare the seven on the bundled conversation: a table and an HTML report
	$(call run,memzoo compare --token-counter o200k_base $(ARGS))

test: $(VENV)/.dev  ## run all tests on all cores; ARGS="-n 0 -k buffer"
	$(call run,python -m pytest -n auto --dist worksteal $(ARGS))

sequences: $(VENV)/.dev  ## the long run: 100,000 random sequences, and 1,000 conversations with tools on each strategy
	$(call run,python -m tests.memories.sequences $(ARGS))
	$(call run,python -m tests.memories.agents)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy
	$(BIN)/pyright

wheel: $(VENV)/.dev  ## build, and check that the wheel holds the tree
	$(BIN)/python .ci/check_wheel.py

bench: $(VENV)/.dev  ## all measurements that README and docs quote
	$(call run,python -m memzoo.benchmarks.research $(ARGS))

speed: $(VENV)-peers/.ready  ## CPU time beside other libraries, in an environment of their own; ARGS="--row 'buffer-*' --samples 5"
	PYTHONWARNINGS=ignore TIKTOKEN_CACHE_DIR="$${TIKTOKEN_CACHE_DIR:-$$(ls -d $(CURDIR)/$(VENV)-peers/lib/python3*/site-packages/llama_index/core/_static/tiktoken_cache)}" \
		$(VENV)-peers/bin/python -m memzoo.benchmarks.research speed $(ARGS)

weight: $(VENV)/.dev  ## megabytes of a fresh installation and of LangChain's, and which strategy imports what
	rm -rf $(VENV)-weight
	$(PYTHON) -m venv $(VENV)-weight/memzoo && $(VENV)-weight/memzoo/bin/python -m pip install --quiet .
	$(PYTHON) -m venv $(VENV)-weight/langchain && $(VENV)-weight/langchain/bin/python -m pip install --quiet $(WEIGHED)
	$(call run,python -m memzoo.benchmarks.research weight $$(ls -d $(VENV)-weight/*/lib/python3*/site-packages))

faults: $(VENV)/.dev  ## kill processes, servers, connections, disks and models, and count; the table goes into docs/faults.md
	$(call run,python -m tests.faults --out docs/faults.md $(ARGS))

record: $(VENV)/.dev  ## record all cassettes anew: from the offline model, or from OPENAI_BASE_URL with OPENAI_API_KEY
	$(call run,python -m pytest -m cassette --cassettes=all $(ARGS))

clean:
	rm -rf $(VENV) $(VENV)-peers $(VENV)-weight build dist *.egg-info memzoo-compare

# The vocabularies are looked for again here: when make read this file, they were not installed yet.
run = TIKTOKEN_CACHE_DIR="$${TIKTOKEN_CACHE_DIR:-$$(ls -d $(CURDIR)/$(VENV)/lib/python3*/site-packages/llama_index/core/_static/tiktoken_cache)}" \
	PATH="$(CURDIR)/$(BIN):$$PATH" $(1)

$(VENV)/.run: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[report]'
	$(BIN)/python -m pip install --quiet --no-deps $(VOCABULARY)
	touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

$(VENV)-peers/.ready: pyproject.toml Makefile
	$(PYTHON) -m venv $(VENV)-peers
	$(VENV)-peers/bin/python -m pip install --quiet --editable . $(PEERS)
	touch $@
