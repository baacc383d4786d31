# Installing what the kit needs, and saying what is wrong. On its own, so that it works before a compiler is there.

.PHONY: setup setup-all doctor bare-root
doctor: ##* what is wrong on this machine, and the command that mends it
	@BUILD='$(or $(BUILD),build)' NVCC='$(NVCC)' common/mk/doctor.sh
setup: ##* install the packages that are missing, clang where no nvcc is
	@common/mk/setup.sh base
setup-all: ## setup, and the packages for handouts, browser tests, the cluster and benchmarks
	@common/mk/setup.sh all
bare-root: ## SUITE=bookworm: a root folder of plain Debian by debootstrap; make setup demo and three labs in it, with clang (TESTS=all: all tests)
	@BUILD='$(or $(BUILD),build)' SUITE='$(or $(SUITE),bookworm)' common/mk/bare-root.sh $(TESTS)
