# The targets of the top Makefile that belong to no folder.

# Each lab's submissions are a test of their own, so that labs are judged side by side. The longest tests go first, so that the processors end
# together: a run ends with the list of what takes most.
LAB_TESTS := $(foreach lab,$(notdir $(wildcard solutions/[0-9]*)),common/starters/test/check-starters.t@$(lab))
LONG_TESTS := grader/test/attacks.t $(filter %@19-profiling-and-roofline %@17-mixed-precision %@20-capstone,$(LAB_TESTS)) \
    common/starters/test/solutions.t grader/test/attacks-values.t common/starters/test/labs.t
SCRIPT_TESTS := $(LONG_TESTS) $(filter-out $(LONG_TESTS),$(LAB_TESTS)) $(filter-out $(LONG_TESTS) %/check-starters.t,$(sort $(wildcard grader/test/*.t)) \
    $(sort $(wildcard common/*/test/*.t common/*/*/test/*.t grader/*/test/*.t docs/test/*.t)))
# Those that wait more than they work run beside the others, one after the other.
PATIENT_TESTS := grader/test/class.t grader/class/test/slurm.t grader/test/run.t grader/course/test/course.t grader/report/test/browser.t common/vgpu/tool/test/film_page.t \
    $(BUILD)/grader/archive/test/test_archive common/mk/test/run-tests.t

.PHONY: all help progress test unit-tests clang-test unit-test-run cross-root cross-test cross-answers check-layers format clean

all: $(ALL_PROGRAMS) $(ALL_EXTRA) ##* build commands, virtual GPU, library and judges of the labs

# A student's kit is one without solutions: there the targets that `##*` marks are all that is listed.
STUDENT := $(if $(wildcard solutions),,1)

help: ##* list every target
	@awk -F':.*##[*]? ' '/^[a-z][a-zA-Z_-]*:.*##$(if $(STUDENT),[*],[*]?) / { printf "  make %-$(if $(STUDENT),10,18)s %s\n", $$1, $$2 }' $(MAKEFILE_LIST) | sort
	@echo "  $(if $(STUDENT),In a lab's folder (labs/00-first-kernel) \`make help\` lists what works there.,V=1 shows commands; SAN=address,undefined and COV=1 build aside; DEVICE=virtual|gpu in a lab)"

# Who types a lab's command in a student's kit is told where it works.
ifneq ($(STUDENT),)
.PHONY: run check watch hint profile show submit
run check watch hint profile show submit:
	@echo "\`make $@\` works in a lab's folder: make -C labs/00-first-kernel $@" >&2; exit 2
endif

progress: $(BUILD)/bin/labtool ##* how far each lab is, and what is next; TIME=1: and its time
	@BUILD=$(BUILD) TIME='$(TIME)' common/lab/progress.sh

unit-tests: $(ALL_TESTS)

# ALL=1 is for this command: labs that tests check have a meaning of their own for it.
MAKEOVERRIDES := $(filter-out ALL=%,$(MAKEOVERRIDES))
unexport ALL
test: ## run the tests, ALL=1 every one that takes long, too; ends with "N passed, N failed, N skipped"
	@$(MAKE) $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc)) all unit-tests $(if $(shell command -v pandoc),man) $(if $(shell command -v nvcc),ladder-programs)
	@BUILD=$(BUILD) KIT=$(KIT) SAN='$(SAN)' SHORT='$(if $(ALL),,1)' PATIENT='$(PATIENT_TESTS)' common/mk/run-tests.sh $(SCRIPT_TESTS) $(ALL_TESTS)

CLANG ?= clang
clang-test: ## CLANG=clang-19: build with that compiler, in build-clang-19, and run the unit tests
	@$(MAKE) CC='$(CLANG)' BUILD='build-$(notdir $(CLANG))' WERROR=1 unit-test-run
unit-test-run: all unit-tests
	@BUILD=$(BUILD) KIT=$(KIT) common/mk/run-tests.sh $(ALL_TESTS)

# What is built for arm64, and runs here by qemu-user (emulate.sh). The sandbox's tests are those of a kernel, and left out.
cross-root: ## download a root folder of arm64 that `make ARCH=arm64` links with, into build/root-arm64; installs nothing
	@common/mk/sysroot.sh build/root-arm64

cross-test: all cross-root ## build for arm64 (build-aarch64-linux-gnu) and run there, by qemu-user: unit tests, random kernels, labs: LABS=a,b
	@$(MAKE) ARCH=arm64 cross-answers NATIVE='$(BUILD)'
cross-answers: all unit-tests
	@status=0; export BUILD='$(BUILD)' KIT='$(KIT)' SYSROOT='$(SYSROOT)' NATIVE='$(NATIVE)' $(if $(LABS),LABS='$(LABS)'); \
	    common/mk/emulate.sh '$(SYSROOT)' common/mk/run-tests.sh $(filter-out $(BUILD)/grader/sandbox/test/%,$(ALL_TESTS)) || status=$$?; \
	    common/mk/cross/answers.sh || status=$$?; exit $$status

check-layers: ## refuse an include that points up (docs/architecture.md lists the layers)
	@common/mk/check-layers.sh

format: ## lay out the lines of C that differ from the last commit as .clang-format says
	@git clang-format --quiet --force --extensions c,h HEAD -- common grader

clean: ##* remove what was built
	rm -rf build build-*
