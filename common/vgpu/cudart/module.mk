# The drop-in runtime. The student's process gets this one library and nothing else of ours: archives are linked in, hidden. So is the
# compiler's unwinder, which places of calls need: as a library it would be looked for and loaded in each program.

VGPU_LIB := $(BUILD)/lib/vgpu/libcudart.so.13
VGPU_LAYERS := common/vgpu/remote common/vgpu/device common/vgpu/film common/vgpu/perf common/vgpu/check common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx \
	common/base

$(call module,common/vgpu/cudart,-isystem common/cuda/include)

$(VGPU_LIB): $(call objects,common/vgpu/cudart) $(foreach d,$(VGPU_LAYERS),$(call libname,$(d))) common/vgpu/cudart/cudart.map \
		$(call list_of,common/vgpu/cudart) common/vgpu/cudart/module.mk
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script,common/vgpu/cudart/cudart.map -Wl,--exclude-libs,ALL \
		$(if $(SAN),,-static-libgcc) -Wl,-z,defs -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group -l:libzstd.a -l:liblz4.a -lm -ldl

ALL_EXTRA += $(VGPU_LIB)

$(call unit_tests,common/vgpu/cudart,common/vgpu/cudart common/base,-l:libzstd.a -l:liblz4.a)
