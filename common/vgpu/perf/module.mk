$(call module,common/vgpu/perf)
$(call unit_tests,common/vgpu/perf,common/vgpu/perf common/vgpu/mem common/base)
