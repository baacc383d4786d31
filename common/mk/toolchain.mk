# Compilers, flags and the build folder: what every build of the kit agrees on.
#
#   V=1            show the commands
#   SAN=address,undefined   build with sanitizers, in a folder of its own
#   COV=1          build with coverage counters, in a folder of its own
#   WERROR=1       warnings are errors (CI sets it)
#   CROSS=aarch64-linux-gnu-   build for another machine with that gcc, in a folder of its own; SYSROOT=DIR: a root of it, with the
#                  development packages of `make setup`
#   ARCH=arm64     the same, with the root folder that `make cross-root` makes; nothing on a machine that is one
#   CC=clang-19    another compiler, best with a BUILD=folder of its own

KIT := $(patsubst %/common/mk/toolchain.mk,%,$(abspath $(lastword $(MAKEFILE_LIST))))

ifeq ($(ARCH)$(filter aarch64,$(if $(ARCH),$(shell uname -m))),arm64)
CROSS := aarch64-linux-gnu-
SYSROOT := $(KIT)/build/root-arm64
endif

comma := ,
empty :=
space := $(empty) $(empty)

BUILD ?= build$(if $(CROSS),-$(CROSS:-=))$(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(COV),-cov)

CC := $(CROSS)gcc$(if $(SYSROOT), --sysroot=$(SYSROOT))
AR := $(CROSS)ar
LD := $(CROSS)ld
OBJCOPY := $(CROSS)objcopy
# nvcc from the PATH, else where NVIDIA's packages put it.
NVCC := $(or $(shell command -v nvcc 2>/dev/null),$(lastword $(wildcard /opt/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc /usr/local/cuda/bin/nvcc)),nvcc)
# What compiles labs: nvcc, clang (by labcc), or auto: nvcc where there is one.
COMPILER ?= auto
ifneq ($(filter-out nvcc clang auto,$(COMPILER)),)
$(error COMPILER is $(COMPILER): nvcc, clang or auto)
endif
# The PTX that labs ship: the oldest architecture that CUDA 13 still compiles for.
CUDA_ARCH ?= compute_75
# How labs are compiled, and what headers are precompiled for; the grader has the same words in grader/build/places.h. The host's code tells
# indices outside of declared arrays (common/lab/bounds.c).
LAB_OPTIONS := -lineinfo -g -Xcompiler=-fsanitize=bounds$(comma)-fno-sanitize-recover=bounds
# The toolkit's folder: the one above nvcc, or, where a script of that name stands in the PATH, what nvcc itself says.
ifeq ($(CUDA_HOME),)
CUDA_HOME := $(patsubst %/bin/,%,$(dir $(realpath $(NVCC))))
ifeq ($(wildcard $(CUDA_HOME)/include/cuda_runtime.h),)
CUDA_HOME := $(realpath $(shell $(NVCC) --dryrun -x cu /dev/null 2>&1 | sed -n 's/^.. TOP=//p'))
endif
endif
export CUDA_HOME

CSTD := -std=c11 -D_GNU_SOURCE
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(WERROR),-Werror)
# No contraction: a virtual GPU must round where PTX says so, on every machine alike.
OPT  := -O2 -g -ffp-contract=off -fno-math-errno -fno-trapping-math
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
COVFLAGS := $(if $(COV),--coverage)
CFLAGS := $(CSTD) $(OPT) $(WARN) -fPIC -fvisibility=hidden -pthread $(SANFLAGS) $(COVFLAGS)
# The C++ library that `vgpu` has a function of lies in the root folder beside its gcc, where that of another machine does not look.
LDFLAGS := -pthread $(SANFLAGS) $(COVFLAGS)$(if $(SYSROOT),$(addprefix $(space)-L,$(wildcard $(SYSROOT)/usr/lib/gcc/$(CROSS:-=)/*)))

# What runs a program that was built for another machine: qemu-user.
RUN := $(if $(CROSS),$(notdir $(firstword $(shell command -v qemu-$(firstword $(subst -, ,$(CROSS)))-static qemu-$(firstword $(subst -, ,$(CROSS)))))) -L $(SYSROOT))
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' $(1) $(2))
