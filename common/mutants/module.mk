# Mutants of the labs' solutions: `make mutants`. Where libclang's header is not installed, `mutate` is not built, nor for another machine.

LLVM_INCLUDE := $(if $(CROSS),,$(firstword $(wildcard $(addsuffix /clang-c/Index.h,$(addsuffix /include,$(sort $(wildcard /usr/lib/llvm-*)))))))
ifneq "$(LLVM_INCLUDE)" ""
LLVM_HOME := $(patsubst %/include/clang-c/Index.h,%,$(LLVM_INCLUDE))
$(call module,common/mutants,-isystem $(LLVM_HOME)/include)
$(call program,mutate,common/mutants,common/mutants common/base,-L$(LLVM_HOME)/lib -lclang)
endif

N ?= 0
.PHONY: mutants styles
mutants: all ## graded mutants of the labs' solutions, and what survives: LABS=a,b, N=20 of each lab, MUTANT_SEED=1; SURVIVORS=1: again those that survived; EQUIVALENTS=1000: those that are named equivalent, in so many random cases (needs libclang-dev)
	@BUILD=$(BUILD) KIT=$(KIT) SAMPLE=$(N) SEED=$(or $(MUTANT_SEED),1) SURVIVORS=$(SURVIVORS) common/mutants/$(if $(EQUIVALENTS),equivalents.pl $(EQUIVALENTS),mutants.sh) $(subst $(comma), ,$(LABS))
styles: all ## the labs' solutions in other styles, which get all points too: LABS=a,b, N=20 of each lab, STYLES_SEED=1; ACCEPTED=1: their accepted submissions as well (needs libclang-dev)
	@BUILD=$(BUILD) KIT=$(KIT) SAMPLE=$(N) SEED=$(or $(STYLES_SEED),1) ACCEPTED=$(ACCEPTED) common/mutants/styles.sh $(subst $(comma), ,$(LABS))
