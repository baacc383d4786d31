# The Makefile of a lab, after it has set LAB (its folder's name), FILES (what is handed in), KIT (the kit's folder), and, where lab.yaml names
# some, LIBRARIES.
#
#   make          build the program
#   make run      run a case: CASE=name picks one (the first that falls short otherwise)
#   make check    grade your work on all public cases, and explain the first that falls short; ALL=1 explains all
#   make watch    the same for the next case that falls short, each time you save a file; Ctrl-C leaves
#   make hint     the next hint for the first TODO whose cases fall short: TODO=2 or CASE=name picks another
#   make profile  run a case and show what it costs
#   make show     run a case and film a launch as build/film.html: LAUNCH=, BLOCKS=, SHAPE= and REGISTERS=1 as the options of `vgpu`;
#                 FILM=build/film.txt says the same in sentences
#   make extra    build and run the optional part, where the lab has one: EXTRA names its program, EXTRA_FLAGS what nvcc needs for it
#   make submit   pack what you hand in, and say what of it is untouched
#   make progress, make doctor   as in the kit's folder
#   make clean    remove what was built
#
# KIT_LANG=zh-CN gives hints and messages in Chinese where the lab has its texts in it; English is the default, whatever the locale.
# COMPILER=nvcc, clang or auto (nvcc where there is one) says what compiles; `extra` always takes nvcc.
# DEVICE=virtual, gpu or auto (the GPU if one answers) says where to run. `check` takes the virtual GPU otherwise; `run` and `profile` take a GPU if one answers.

.DEFAULT_GOAL := all
SHELL := /bin/bash
MAKEFLAGS += --no-builtin-rules

include $(KIT)/common/mk/toolchain.mk

KIT_DIR := $(abspath $(KIT))
KIT_BUILD ?= $(KIT_DIR)/build
# clang's programs have the kit's own headers and runtime, run on the virtual GPU, and stand in a folder of their own.
LAB_COMPILER := $(if $(filter auto,$(COMPILER)),$(if $(shell command -v $(NVCC)),nvcc,clang),$(COMPILER))
LAB_CC := $(if $(filter clang,$(LAB_COMPILER)),$(KIT_BUILD)/bin/labcc,$(NVCC))
LAB_OUT := build$(if $(filter clang,$(LAB_COMPILER)),/clang)
SOURCES := $(filter %.cu,$(FILES))
PROGRAM := $(LAB_OUT)/$(basename $(firstword $(SOURCES)))
OBJECTS := $(patsubst %.cu,$(LAB_OUT)/%.o,$(SOURCES))
LINK_LIBRARIES := $(if $(filter clang,$(LAB_COMPILER)),$(addprefix -l,$(LIBRARIES)),$(if $(LIBRARIES),-L$(CUDA_HOME)/lib64 -L$(CUDA_HOME)/lib64/stubs -Xlinker=--enable-new-dtags$(comma)-rpath$(comma)$(CUDA_HOME)/lib64 $(addprefix -l,$(LIBRARIES))))
# What the kit must have built before a lab can be used.
KIT_PARTS := $(addprefix $(KIT_BUILD)/,lib/liblab.a lib/liblab-own.a labs/$(LAB)/driver.o labs/$(LAB)/judge bin/labtool bin/vgpu bin/grade bin/profile-table bin/labcc lib/labcc/libnvrtc.so.13 include/cuda/cuda_runtime.h)

CASE ?=
TODO ?=
# 1: `make check` explains every case.
ALL ?=
KIT_LANG ?=
export KIT_LANG
DEVICE ?=
ifeq ($(LAB_COMPILER),clang)
ifeq ($(DEVICE),gpu)
$(error clang's programs run on the virtual GPU alone: COMPILER=nvcc is for DEVICE=gpu)
endif
DEVICE := virtual
endif
# 1: `make run` shows the modelled time line too, and draws it as build/timeline.svg.
TIMELINE ?=

LAUNCH ?=
BLOCKS ?=
SHAPE ?=
REGISTERS ?=
FILM      ?= build/film.html

RUN_CASE = LAUNCH='$(LAUNCH)' BLOCKS='$(BLOCKS)' SHAPE='$(SHAPE)' REGISTERS='$(REGISTERS)' FILM='$(FILM)' KIT_BUILD='$(KIT_BUILD)' LAB='$(LAB)' PROGRAM='$(PROGRAM)' FILES='$(FILES)' DEVICE='$(DEVICE)' TIMELINE='$(TIMELINE)' CUDA_HOME='$(CUDA_HOME)' \
	$(KIT_DIR)/common/lab/run-case.sh

CHECK = $(KIT_BUILD)/bin/grade check . --compiler $(LAB_COMPILER) --state build/cases $(if $(DEVICE),--device $(DEVICE))

.PHONY: all run check watch hint profile show submit progress doctor clean help

all: $(PROGRAM) ## build the program

$(KIT_PARTS) &:
	@echo 'Building the kit (only the first time)...'
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(MAKE) -s --no-print-directory -C $(KIT_DIR) BUILD='$(KIT_BUILD)' all

# Compilers' messages as `make check` shows them; V=1: their own words.
MESSAGES = $(if $(V),,2>&1 | $(KIT_BUILD)/bin/labtool messages . >&2)

$(LAB_OUT)/%.o: %.cu $(wildcard *.h) $(KIT_DIR)/common/lab/lab.h $(if $(filter clang,$(LAB_COMPILER)),$(KIT_BUILD)/bin/labcc $(KIT_BUILD)/include/cuda/cuda_runtime.h) \
		| $(KIT_BUILD)/bin/labtool
	$(call say,$(if $(filter clang,$(LAB_COMPILER)),CLANG,NVCC),$<)
	@mkdir -p $(@D)
	$(Q)set -o pipefail; $(LAB_CC) -arch=$(CUDA_ARCH) $(LAB_OPTIONS) -I. -I$(KIT_DIR)/common/lab -c -o $@ $< $(MESSAGES)

$(PROGRAM): $(OBJECTS) $(KIT_BUILD)/labs/$(LAB)/driver.o $(KIT_BUILD)/lib/liblab.a
	$(call say,LINK,$@)
	$(Q)set -o pipefail; $(LAB_CC) -arch=$(CUDA_ARCH) -cudart shared -o $@ $^ $(LINK_LIBRARIES) $(MESSAGES)

run: $(PROGRAM) $(KIT_PARTS) ## run a case: CASE=name, DEVICE=virtual|gpu
	@$(RUN_CASE) run '$(CASE)'

check: $(KIT_PARTS) ## grade your work on the public cases: ALL=1 explains each
	@mkdir -p build
	@status=0; $(CHECK) $(if $(ALL),--all) $(if $(CASE),--case $(CASE)) || status=$$?; \
		[ $$status = 2 ] || KIT_BUILD='$(KIT_BUILD)' $(KIT_DIR)/common/lab/next-step.sh $(FILES); exit $$status

watch: $(KIT_PARTS) ## after each save: the next case that falls short; Ctrl-C leaves
	@mkdir -p build
	@KIT_BUILD='$(KIT_BUILD)' CHECK='$(CHECK)' $(KIT_DIR)/common/lab/watch.sh $(FILES)

# What the cases say of the files as they are now.
build/cases: $(FILES) $(KIT_PARTS)
	@mkdir -p build
	@$(CHECK) >build/check.txt 2>&1 || true

hint: $(KIT_PARTS) $(if $(TODO),,build/cases) ## show the next hint: TODO=2 or CASE=name picks what for
	@mkdir -p build
	@$(KIT_BUILD)/bin/labtool hint . build/hints build/cases '$(TODO)' '$(CASE)'

profile: $(PROGRAM) $(KIT_PARTS) ## run a case and show what it costs: CASE=name, DEVICE=virtual|gpu
	@$(RUN_CASE) profile '$(CASE)'

show: $(PROGRAM) $(KIT_PARTS) ## run a case and film a launch step by step: CASE=, LAUNCH=kernel
	@$(RUN_CASE) show '$(CASE)'

# The optional part: a program of its own, which says itself whether it is right. EXTRA_FROM and EXTRA_BUILD let checks try another source elsewhere.
EXTRA_FROM  ?= .
EXTRA_BUILD ?= build
EXTRA_ARCH  := $(if $(filter gpu,$(DEVICE)),native,$(CUDA_ARCH))
ifneq ($(EXTRA),)
.PHONY: extra
$(EXTRA_BUILD)/$(EXTRA)-$(EXTRA_ARCH): $(EXTRA_FROM)/$(EXTRA).cu $(KIT_PARTS)
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -arch=$(EXTRA_ARCH) -lineinfo -g -cudart shared -I$(KIT_DIR)/common/lab -o $@ $< $(KIT_BUILD)/lib/liblab-own.a $(EXTRA_FLAGS)

extra: $(EXTRA_BUILD)/$(EXTRA)-$(EXTRA_ARCH) ## the optional part, where there is one: DEVICE=virtual|gpu
	@$(if $(filter gpu,$(DEVICE)),LD_LIBRARY_PATH='$(CUDA_HOME)/lib64',$(KIT_BUILD)/bin/vgpu) $<
endif

submit: $(KIT_PARTS) ## pack what you hand in, and say what of it is untouched
	@$(KIT_BUILD)/bin/grade submit .
	@$(KIT_BUILD)/bin/labtool untouched .

# The kit's own, for who is in a lab's folder.
progress: ## how far each lab is, and what is next: TIME=1 and its time
doctor: ## what is wrong on this machine, and the command that mends it
progress doctor:
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(MAKE) -s --no-print-directory -C $(KIT_DIR) BUILD='$(KIT_BUILD)' $@ TIME='$(TIME)'

clean: ## remove what was built
	rm -rf build

help: ## list the targets
	@awk -F':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(KIT_DIR)/common/mk/lab.mk Makefile
