$(call module,common/vgpu/remote)
$(call unit_tests,common/vgpu/remote,common/vgpu/remote common/vgpu/device common/vgpu/film common/vgpu/perf common/vgpu/check common/vgpu/exec common/vgpu/mem \
	common/vgpu/ir common/vgpu/ptx common/base,-lm -ldl)
