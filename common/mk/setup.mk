# Installing what the kit needs. On its own, so that it works before a compiler is there.

.PHONY: setup setup-all
setup: ## install the Debian/Ubuntu packages for building, labs and grading, with clang where there is no nvcc
	@common/mk/setup.sh base
setup-all: ## setup, and the packages for handouts, browser tests, the cluster and benchmarks
	@common/mk/setup.sh all
