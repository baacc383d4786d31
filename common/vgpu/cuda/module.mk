# The drop-in driver. It finds devices, memory and streams in libcudart.so.13, which lies beside it: one process, one state.

VGPU_DRIVER := $(BUILD)/lib/vgpu/libcuda.so.1

$(call module,common/vgpu/cuda,-isystem common/cuda/include)

$(VGPU_DRIVER): $(call objects,common/vgpu/cuda) $(call libname,common/base) $(BUILD)/lib/vgpu/libcudart.so.13 common/vgpu/cuda/cuda.map \
		$(call list_of,common/vgpu/cuda) common/vgpu/cuda/module.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libcuda.so.1 -Wl,--version-script,common/vgpu/cuda/cuda.map -Wl,--exclude-libs,ALL \
		-Wl,-z,defs -Wl,-rpath,'$$ORIGIN' -o $@ $(filter %.o,$^) $(filter %.a,$^) $(filter %.so.13,$^)

ALL_EXTRA += $(VGPU_DRIVER)
