# The targets of the top Makefile.

SCRIPT_TESTS := $(sort $(wildcard common/*/test/*.t common/vgpu/*/test/*.t grader/*/test/*.t labs/test/*.t docs/test/*.t))

.PHONY: all help setup setup-all test unit-tests clean

all: $(ALL_PROGRAMS) $(ALL_EXTRA) ## build the vgpu and grade commands, the virtual GPU and the lab library

help: ## list every target
	@awk -F':.*## ' '/^[a-z][a-zA-Z_-]*:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST) | sort

# Set-up ends before anything is probed: with -j too, every other goal waits for it.
SETUP_GOALS := $(filter setup setup-all,$(MAKECMDGOALS))
setup: ## install the Debian/Ubuntu packages that building, labs and grading need
	@common/mk/setup.sh base
setup-all: ## setup, and what handouts, browser tests, the cluster and benchmarks need
	@common/mk/setup.sh all

unit-tests: $(ALL_TESTS)

test: all unit-tests ## run every test; ends with "N passed, N failed, N skipped"
	@BUILD=$(BUILD) KIT=$(KIT) SAN='$(SAN)' common/mk/run-tests.sh $(ALL_TESTS) $(SCRIPT_TESTS)

clean: ## remove what was built
	rm -rf build build-*
