# The handlers are loops that must become vector code: -O3 unrolls them, and lets the cost model take every one.
# Included by module.mk after the call of `module`, whose EXTRA_CFLAGS it replaces for these objects.
$(BUILD)/common/vgpu/exec/alu/alu_avx2.o $(BUILD)/common/vgpu/exec/alu/alu_avx512.o: EXTRA_CFLAGS := -O3
