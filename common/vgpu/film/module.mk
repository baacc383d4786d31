$(call module,common/vgpu/film)
$(call unit_tests,common/vgpu/film,common/vgpu/film common/vgpu/fuzz/kernels common/vgpu/perf common/vgpu/check common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-ljansson -lm)
