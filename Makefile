# The commands of the CUDA Lab Kit. `make help` lists them.
#
# Each folder with code has a `module.mk` of a few lines; the macro `module` of common/mk/rules.mk turns a folder into
# objects and a static library, so that nothing is listed twice.

.DEFAULT_GOAL := all
SHELL := /bin/bash
MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:

SETUP := $(filter setup setup-all,$(MAKECMDGOALS))
AFTER := $(filter-out setup setup-all,$(MAKECMDGOALS))

ifneq ($(and $(SETUP),$(AFTER)),)

# `make setup demo`: set-up ends before anything is probed, with -j too. The other goals are made by a make of their own.
.PHONY: $(SETUP) $(AFTER) after-setup
$(AFTER): after-setup ; @:
after-setup: $(SETUP)
	@$(MAKE) $(AFTER)
include common/mk/setup.mk

else

include common/mk/toolchain.mk
include common/mk/rules.mk
include $(wildcard common/*/module.mk common/vgpu/*/module.mk common/cuda/*/module.mk grader/*/module.mk docs/module.mk)
include common/mk/setup.mk
include common/mk/targets.mk
include common/mk/install.mk
-include $(ALL_DEPS)

endif
