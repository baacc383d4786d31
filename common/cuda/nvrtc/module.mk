# libnvrtc.so.13 for programs of labcc: in a folder of its own, as a toolkit's is for those of nvcc.

NVRTC_LIB := $(BUILD)/lib/labcc/libnvrtc.so.13

$(call module,common/cuda/nvrtc,-isystem common/cuda/include)

$(NVRTC_LIB): $(call objects,common/cuda/nvrtc) $(call libname,common/base) common/cuda/nvrtc/nvrtc.map $(call list_of,common/cuda/nvrtc) common/cuda/nvrtc/module.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libnvrtc.so.13 -Wl,--version-script,common/cuda/nvrtc/nvrtc.map -Wl,--exclude-libs,ALL \
		-Wl,-z,defs -o $@ $(filter %.o,$^) $(filter %.a,$^) -lm -ldl

ALL_EXTRA += $(NVRTC_LIB)
