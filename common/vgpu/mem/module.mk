$(call module,common/vgpu/mem)
$(call unit_tests,common/vgpu/mem,common/vgpu/mem common/base)
