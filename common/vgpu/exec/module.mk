$(call module,common/vgpu/exec)
-include common/vgpu/exec/alu.mk
$(call unit_tests,common/vgpu/exec,common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm)
