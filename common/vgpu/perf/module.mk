$(call module,common/vgpu/perf)
$(call unit_tests,common/vgpu/perf,common/vgpu/perf common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm)
