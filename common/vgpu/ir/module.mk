$(call module,common/vgpu/ir)
$(call unit_tests,common/vgpu/ir,common/vgpu/ir common/vgpu/ptx common/base)
$(call unit_tests,common/vgpu/ir/oom,common/vgpu/ir common/vgpu/ptx common/base,$(addprefix -Wl$(comma)--wrap=,malloc calloc realloc posix_memalign))
