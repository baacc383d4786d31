# Fuzz targets: each a program of its own for tests, and one under libFuzzer by `make fuzz` and `make fuzz-bundle`.
#
#   $(call fuzz_target,NAME,DIR,LIBDIRS,LDLIBS,SEEDS,STATIC)   DIR/NAME.c -> $(BUILD)/fuzz/fuzz-NAME, $(FUZZ_CLANG)/fuzz/libfuzzer-NAME;
#                                                              SEEDS: folders of files to begin with
#
# libFuzzer is clang's, and wants everything compiled for it: the same Makefile builds that aside, in $(FUZZ_CLANG). Its programs
# are to run on other machines, and have all but the C library linked in: STATIC is what LDLIBS need in addition for that.

FUZZ := common/vgpu/fuzz
FUZZ_CLANG := $(BUILD)/fuzz/clang
FUZZ_TARGETS :=

define fuzz_body
$(BUILD)/fuzz/fuzz-$(1): $(BUILD)/$(2)/$(1).o $(BUILD)/$(FUZZ)/standalone.o $(foreach d,$(3),$(call libname,$(d)))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$^ $(4)
$(BUILD)/fuzz/libfuzzer-$(1): $(BUILD)/$(2)/$(1).o $(foreach d,$(3),$(call libname,$(d))) $(filter %.o,$(6))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LDFLAGS) -fsanitize=fuzzer -nostdlib++ -static-libgcc -Wl,--compress-debug-sections=zlib -o $$@ $$^ \
		-Wl,-Bstatic $(filter-out -lm -ldl,$(4)) $(filter -l%,$(6)) -lstdc++ -Wl,-Bdynamic -lm
unit-tests: $(BUILD)/fuzz/fuzz-$(1)
ALL_DEPS += $(BUILD)/$(2)/$(1).d $(BUILD)/$(FUZZ)/standalone.d
FUZZ_TARGETS += $(1)
FUZZ_SEEDS_$(1) := $(5)
endef
fuzz_target = $(eval $(call fuzz_body,$(1),$(2),$(3),$(4),$(5),$(6)))

# Both ways of execution, compared, and random kernels: of target exec and of tests.
BOTH_LIBS := common/vgpu/check common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base
$(call module,$(FUZZ)/both)
$(call module,$(FUZZ)/kernels)
$(call unit_tests,$(FUZZ)/both,$(FUZZ)/both $(BOTH_LIBS),-lm)

# Seeds: the PTX of exec's tests, what the targets once found, and hand-made containers.
$(call fuzz_target,ptx,$(FUZZ),common/vgpu/ir common/vgpu/ptx common/base,,common/vgpu/exec/test/ptx $(FUZZ)/corpus/ptx)
$(call fuzz_target,exec,$(FUZZ),$(FUZZ)/both $(FUZZ)/kernels $(BOTH_LIBS),-lm,common/vgpu/exec/test/ptx $(FUZZ)/corpus/ptx $(FUZZ)/corpus/exec)
$(call fuzz_target,fatbin,$(FUZZ),common/vgpu/cudart common/base,-l:libzstd.a -l:liblz4.a,$(FUZZ)/corpus/fatbin)
$(call fuzz_target,remote,$(FUZZ),common/vgpu/remote common/vgpu/device common/vgpu/film common/vgpu/perf common/vgpu/check common/vgpu/exec common/vgpu/mem \
    common/vgpu/ir common/vgpu/ptx common/base,-lm -ldl,$(FUZZ)/corpus/remote)

# Line tables name the frames of a report; the rest of what a debugger wants would make the bundle ten times as large.
FUZZ_MAKE = @+$(MAKE) -s BUILD=$(FUZZ_CLANG) CC=clang WARN=-w OPT='-O1 -gline-tables-only -ffp-contract=off' SAN= COV= \
	SANFLAGS='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'

TARGET ?= ptx
MINUTES ?= 10

.PHONY: fuzz fuzz-bundle
fuzz: ## a fuzz target under libFuzzer: TARGET=ptx|exec|fatbin|remote... MINUTES=10 (needs clang)
	$(FUZZ_MAKE) $(FUZZ_CLANG)/fuzz/libfuzzer-$(TARGET)
	@mkdir -p $(BUILD)/fuzz/found-$(TARGET)
	@cd $(BUILD)/fuzz && nice -n 19 $(abspath $(FUZZ_CLANG))/fuzz/libfuzzer-$(TARGET) -max_total_time=$$(( $(MINUTES) * 60 )) -timeout=20 -rss_limit_mb=4096 -max_len=16384 \
		-print_final_stats=1 -artifact_prefix=$(TARGET)- found-$(TARGET) $(addprefix $(KIT)/,$(FUZZ_SEEDS_$(TARGET)))

fuzz-bundle: ## all fuzz targets with their seeds, in build/fuzz-bundle: to be carried to a machine with many processors
	$(FUZZ_MAKE) $(FUZZ_TARGETS:%=$(FUZZ_CLANG)/fuzz/libfuzzer-%)
	@rm -rf $(BUILD)/fuzz-bundle
	@$(foreach t,$(FUZZ_TARGETS),mkdir -p $(BUILD)/fuzz-bundle/seeds/$(t); gzip -c $(FUZZ_CLANG)/fuzz/libfuzzer-$(t) >$(BUILD)/fuzz-bundle/libfuzzer-$(t).gz; \
		cp $(FUZZ_SEEDS_$(t):%=%/*) $(BUILD)/fuzz-bundle/seeds/$(t)/;)
	@cp $(FUZZ)/fuzz-all.sh $(BUILD)/fuzz-bundle/fuzz-all
	@echo "$(BUILD)/fuzz-bundle: run ./fuzz-all MINUTES CORES OUT in it, there"
