$(call module,common/vgpu/perf)
# Marks are counted by a loop that must become vector code.
$(BUILD)/common/vgpu/perf/touch.o: EXTRA_CFLAGS := -O3
$(call unit_tests,common/vgpu/perf,common/vgpu/perf common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm)
