$(call module,common/vgpu/exec)
-include common/vgpu/exec/alu.mk
# Loads and stores are loops over lanes that must become vector code.
$(BUILD)/common/vgpu/exec/memory.o $(BUILD)/common/vgpu/exec/access.o: EXTRA_CFLAGS := -O3
$(call unit_tests,common/vgpu/exec,common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm)
