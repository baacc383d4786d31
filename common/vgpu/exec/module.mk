$(call module,common/vgpu/exec)
-include common/vgpu/exec/alu.mk
$(call unit_tests,common/vgpu/exec,common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm)
$(call program,bench-vgpu,common/vgpu/exec/bench,common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm)

.PHONY: bench-vgpu
bench-vgpu: $(BUILD)/bin/bench-vgpu ## warp instructions a second of the virtual GPU
	@$<
