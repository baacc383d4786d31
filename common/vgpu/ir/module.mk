$(call module,common/vgpu/ir)
$(call unit_tests,common/vgpu/ir,common/vgpu/ir common/vgpu/ptx common/base)
