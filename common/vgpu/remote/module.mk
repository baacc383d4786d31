$(call module,common/vgpu/remote)
