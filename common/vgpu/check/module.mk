$(call module,common/vgpu/check)
$(call unit_tests,common/vgpu/check,common/vgpu/check common/vgpu/mem common/base)
