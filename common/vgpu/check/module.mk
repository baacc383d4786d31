$(call module,common/vgpu/check)
$(call unit_tests,common/vgpu/check,common/vgpu/check common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm)
