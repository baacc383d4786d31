$(call module,common/vgpu/exec)
-include common/vgpu/exec/alu.mk
# Loads and stores are loops over lanes that must become vector code.
$(foreach o,memory access wide_value wide_memory hot_base hot_avx2 hot_avx512,$(BUILD)/common/vgpu/exec/$(o).o): EXTRA_CFLAGS := -O3
$(call unit_tests,common/vgpu/exec,common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm)
