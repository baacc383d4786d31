$(call module,common/vgpu/exec,,alu tensor texture affine)
-include common/vgpu/exec/alu.mk
# Loads and stores are loops over lanes that must become vector code.
$(foreach o,memory access hot_base hot_avx2 hot_avx512,$(BUILD)/common/vgpu/exec/$(o).o): EXTRA_CFLAGS := -O3
# There too; but values of a block are written and read word by word, and pairs of words would wait for each other; rows of lanes are too short to be worth a call.
$(foreach o,affine wide wide_spread wide_memory plan_run plan_float,$(BUILD)/common/vgpu/exec/affine/$(o).o): EXTRA_CFLAGS := -O3 -fno-tree-slp-vectorize $(if $(findstring clang,$(CC)),,-fno-tree-loop-distribute-patterns)
$(call unit_tests,common/vgpu/exec,common/vgpu/fuzz/kernels common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm)
