# The commands of the CUDA Lab Kit. `make help` lists them.
#
# Each folder with code has a `module.mk` of a few lines; the macro `module` below turns a folder
# into objects and a static library, so that nothing is listed twice.

.DEFAULT_GOAL := all
SHELL := /bin/bash
MAKEFLAGS += --no-builtin-rules

include common/mk/toolchain.mk
include common/mk/rules.mk

MODULES_MK := $(wildcard common/*/module.mk common/vgpu/*/module.mk grader/*/module.mk)
include $(MODULES_MK)
include common/mk/targets.mk
-include $(ALL_DEPS)
