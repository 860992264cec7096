# Everything a person or CI does with this checkout. It needs make, Node 20 or newer and npm; the Node that runs the
# service (24) and PostgreSQL (15 to 18) come with `npm ci`.

BIN := $(CURDIR)/node_modules/.bin
# npm must not run on the Node that it is about to replace.
OUTER_PATH := $(subst $(BIN):,,$(PATH))
export PATH := $(BIN):$(OUTER_PATH)
export REDOCLY_TELEMETRY := off
export REDOCLY_SUPPRESS_UPDATE_NOTICE := true

# The PostgreSQL of tests, benchmarks and chaos runs: 15, 16, 17 or 18.
export POSTGRES ?= 18

INSTALLED := node_modules/.package-lock.json

.DEFAULT_GOAL := help
.PHONY: help install run demo test test-suite check check-generated generate lint fix check-types bench simulate chaos failover upgrade mutants sdk-test sbom audit release clean

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## install the packages, if package-lock.json changed since
	@:

run: install ## start database, API and worker, with a demo practice, and with DEMO=office a busy one; Ctrl-C stops everything
	@exec node scripts/run.ts

demo: install ## a narrated run: link created, paid, signed webhook received and verified
	@exec node scripts/demo.ts

test: install ## all that CI checks; POSTGRES=15, 16 or 17 instead of 18; ONLY=<folder of test/, or a file>; PART=<name> (CONTRIBUTING)
	@exec node test/run.ts

test-suite: install ## the tests without checks, operations and SDKs; ONLY and POSTGRES as for test
	@PART=suite exec node test/run.ts

check: install ## the quick checks: generated files, contract and its compatibility, code style, types
	@exec $(MAKE) --no-print-directory --jobs 2 check-types check-generated lint

check-generated: install
	@exec node scripts/generate.ts --check

generate: install ## write what is derived from openapi.yaml
	@exec node scripts/generate.ts

lint: install ## check openapi.yaml (Redocly) and the code (Biome)
	@exec redocly lint openapi.yaml
	@exec biome check .

fix: install ## rewrite the code to the common style (Biome)
	@exec biome check --write .

check-types: install ## check the types (tsc)
	@exec tsc -p .

bench: install ## measure throughput and latency on this machine
	@exec node proofs/bench.ts

simulate: install ## random histories of links in memory, with their invariants after each step; STEPS=20000000, SEED=<seed> repeats one
	@exec node proofs/simulate.ts

chaos: install ## kill processes and the database at random and check that nothing is lost or doubled
	@exec node proofs/chaos.ts

failover: install ## take database nodes away under load, by Patroni and HAProxy, and check that nothing is lost; ROUNDS=10
	@exec node proofs/failover.ts

upgrade: install ## replace a former version under load, migrations included: no request may fail; FROM=<revision>
	@exec node proofs/upgrade.ts

sdk-test: install ## make SDKs from the contract with every generator at hand and try them, also with scenarios of the last release; ONLY=<name> for one
	@exec node proofs/sdk-test.ts $(ONLY)

sbom: install ## write .local/sbom.cdx.json: all that a production install consists of, with hashes (CycloneDX)
	@exec node scripts/sbom.ts

release: install ## build .local/release: an archive for production with its own Node, SBOM, licences, checksums
	@exec node scripts/release.ts

audit: install ## ask the registry for known vulnerabilities of the packages; fails if there are any
	@exec node scripts/audit.ts

mutants: install ## put small faults into the pure files, one after the other, and count those that a test finds (Stryker)
	@SEED=1 SEEDS=20 SHRINK=0 NODE_COMPILE_CACHE=$(CURDIR)/.local/compile-cache exec stryker run

clean: ## stop the embedded database and remove all local data (.local; not node_modules)
	@if [ -d .local/postgres ]; then $(MAKE) --no-print-directory install && exec node --eval "$$REMOVE_DATABASE"; fi
	@rm -rf .local

# Root's database may lie outside the checkout; the code that put it there knows.
define REMOVE_DATABASE
import('development-postgres')
  .then(({ removeEmbeddedPostgres }) => removeEmbeddedPostgres('.local/postgres'))
  .catch((error) => {
    console.error(error.message, error.hint ?? '');
    process.exitCode = 1;
  });
endef
export REMOVE_DATABASE

# npm writes this file when it is done, install scripts included. Its warnings say that packages want a newer Node than
# the one npm runs on, which is true and no trouble: they get it.
$(INSTALLED): package-lock.json
	@PATH="$(OUTER_PATH)" && export PATH && \
	  { command -v node && command -v npm; } > /dev/null || { \
	    echo 'Node and npm are missing: install Node 20 or newer, from https://nodejs.org or your system.' >&2; exit 1; }; \
	  node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' || { \
	    echo "Node $$(node --version) is too old: install Node 20 or newer, from https://nodejs.org or your system." >&2; \
	    exit 1; }; \
	  echo 'Installing the packages (npm ci) ...' && exec npm ci --loglevel=error
	@# npm 10 makes no link to a program that packages of several platforms have.
	@for node in node_modules/node-*/bin/node; do \
	  if [ -x "$$node" ] && [ ! -e node_modules/.bin/node ]; then ln -s "../../$$node" node_modules/.bin/node; fi; done
	@node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 24 ? 1 : 0)' || { rm -f $@; \
	  echo 'npm did not install Node 24 for this machine: run `npm ci` without --omit=optional, or put Node 24 on PATH.' >&2; \
	  exit 1; }
	@touch $@
