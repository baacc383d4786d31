$(call module,common/vgpu/check)
# Comparing runs of cells, and lanes with their neighbours, must become vector code.
$(BUILD)/common/vgpu/check/cell.o $(BUILD)/common/vgpu/check/segment.o: EXTRA_CFLAGS := -O3
$(call unit_tests,common/vgpu/check,common/vgpu/check common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm)

.PHONY: check-cub
check-cub: all ## CUB and Thrust on a million elements under all checks
	@N=1000000 BUILD=$(BUILD) KIT=$(KIT) common/vgpu/check/test/cub.t
