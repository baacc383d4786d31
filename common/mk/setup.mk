# Installing what the kit needs, and saying what is wrong. On its own, so that it works before a compiler is there.

.PHONY: setup setup-all doctor
doctor: ##* what is wrong on this machine, and the command that mends it
	@BUILD='$(or $(BUILD),build)' NVCC='$(NVCC)' common/mk/doctor.sh
setup: ##* install the packages that are missing, clang where no nvcc is
	@common/mk/setup.sh base
setup-all: ## setup, and the packages for handouts, browser tests, the cluster and benchmarks
	@common/mk/setup.sh all
