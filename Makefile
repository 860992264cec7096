# Everything a person or CI does with this checkout. It needs make, Node 20 or newer and npm; the Node that runs the
# service (24) and PostgreSQL come with `npm ci`.

BIN := $(CURDIR)/node_modules/.bin
# npm must not run on the Node that it is about to replace.
OUTER_PATH := $(subst $(BIN):,,$(PATH))
export PATH := $(BIN):$(OUTER_PATH)
export REDOCLY_TELEMETRY := off
export REDOCLY_SUPPRESS_UPDATE_NOTICE := true

INSTALLED := node_modules/.package-lock.json

.DEFAULT_GOAL := help
.PHONY: help install run demo test generate lint format check-types bench chaos clean

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## install the packages, if package-lock.json changed since
	@:

run: install ## start database, API and worker, with a demo practice; Ctrl-C stops everything
	@exec node scripts/run.ts

demo: install ## a narrated run: link created, paid, signed webhook received and verified
	@exec node scripts/demo.ts

test: install ## all that CI checks: generated files, lint, types, tests
	@exec node scripts/generate.ts --check
	@exec $(MAKE) --no-print-directory lint
	@exec $(MAKE) --no-print-directory check-types
	@CONTRACT_COVERAGE=1 exec mocha 'test/**/*.test.ts'

generate: install ## write what is derived from openapi.yaml
	@exec node scripts/generate.ts

lint: install ## check openapi.yaml (Redocly) and the code (Biome)
	@exec redocly lint openapi.yaml
	@exec biome check .

format: install ## let Biome rewrite the code to the common style
	@exec biome check --write .

check-types: install ## check the types (tsc)
	@exec tsc -p .

bench: install ## measure throughput and latency on this machine
	@exec node scripts/bench.ts

chaos: install ## kill processes and the database at random and check that nothing is lost or doubled
	@exec node scripts/chaos.ts

.PHONY: mutants
mutants: install ## put small faults into the service, one after the other: a test must fail each time (minutes)
	@exec node scripts/mutants.ts

clean: ## stop the embedded database and remove all local data (.local; not node_modules)
	@if [ -d .local/postgres ]; then $(MAKE) --no-print-directory install && exec node --eval "$$REMOVE_DATABASE"; fi
	@rm -rf .local

# Root's database may lie outside the checkout; the code that put it there knows.
define REMOVE_DATABASE
import('./src/embedded/remove.ts')
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
	@node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 24 ? 1 : 0)' || { rm -f $@; \
	  echo 'npm did not install Node 24 (package "node"): run `npm ci` with install scripts allowed.' >&2; exit 1; }
	@touch $@
