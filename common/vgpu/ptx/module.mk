$(call module,common/vgpu/ptx)
$(call unit_tests,common/vgpu/ptx,common/vgpu/ptx common/base)
