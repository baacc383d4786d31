# Fuzz targets: each a program of its own for tests, and one under libFuzzer by `make fuzz`.

FUZZ := common/vgpu/fuzz
FUZZ_TARGETS := ptx exec fatbin remote
FUZZ_LIBS_ptx := common/vgpu/ir common/vgpu/ptx common/base
FUZZ_LIBS_exec := common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base
FUZZ_LIBS_fatbin := common/vgpu/cudart common/base
FUZZ_LIBS_remote := common/vgpu/remote common/vgpu/device common/vgpu/perf common/vgpu/check common/vgpu/exec common/vgpu/mem common/vgpu/ir \
	common/vgpu/ptx common/base

define fuzz_body
$(BUILD)/fuzz/fuzz-$(1): $(BUILD)/$(FUZZ)/$(1).o $(BUILD)/$(FUZZ)/standalone.o $(foreach d,$(FUZZ_LIBS_$(1)),$(call libname,$(d)))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$^ -l:libzstd.a -l:liblz4.a -lm -ldl
ALL_EXTRA += $(BUILD)/fuzz/fuzz-$(1)
ALL_DEPS += $(BUILD)/$(FUZZ)/$(1).d $(BUILD)/$(FUZZ)/standalone.d
$(BUILD)/fuzz/libfuzzer-$(1): $(FUZZ)/$(1).c $(foreach d,$(FUZZ_LIBS_$(1)),$(filter-out %/main.c,$(if $(filter common/vgpu/cudart,$(d)),$(d)/fatbin.c,$(wildcard $(d)/*.c))))
	@mkdir -p $$(@D)
	$$(Q)clang $$(CSTD) -g -O1 -ffp-contract=off -w -I. -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -o $$@ $$^ -lzstd -llz4 -lm -lpthread
endef
$(foreach t,$(FUZZ_TARGETS),$(eval $(call fuzz_body,$(t))))

# Seeds: the PTX of exec's tests, what the targets once found, and hand-made containers.
FUZZ_SEEDS_ptx := common/vgpu/exec/test/ptx $(FUZZ)/corpus/ptx
FUZZ_SEEDS_exec := common/vgpu/exec/test/ptx $(FUZZ)/corpus/ptx
FUZZ_SEEDS_fatbin := $(FUZZ)/corpus/fatbin
FUZZ_SEEDS_remote := $(FUZZ)/corpus/remote

TARGET ?= ptx
MINUTES ?= 10

.PHONY: fuzz
fuzz: $(BUILD)/fuzz/libfuzzer-$(TARGET) ## a fuzz target under libFuzzer: TARGET=ptx|exec|fatbin|remote MINUTES=10 (needs clang)
	@mkdir -p $(BUILD)/fuzz/found-$(TARGET)
	@cd $(BUILD)/fuzz && nice -n 19 ./libfuzzer-$(TARGET) -max_total_time=$$(( $(MINUTES) * 60 )) -timeout=20 -rss_limit_mb=4096 -max_len=16384 \
		-print_final_stats=1 -artifact_prefix=$(TARGET)- found-$(TARGET) $(addprefix $(KIT)/,$(FUZZ_SEEDS_$(TARGET)))
