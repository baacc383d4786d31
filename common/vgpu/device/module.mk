$(call module,common/vgpu/device)
