# labcc, the compiler driver; and the kit's headers, where it finds them.

CUDA_HEADERS := $(wildcard common/cuda/include/*.h common/cuda/include/*/*.* common/cuda/include/cuda/* common/cuda/include/kit/clang/*/*)

$(call module,common/cuda/driver)
$(call program,labcc,common/cuda/driver,common/cuda/driver common/base)
# The tests: what the runtime reads of what is packed, and the functions that clang leaves to the device, against MPFR.
$(call unit_tests,common/cuda/driver,common/cuda/driver common/vgpu/cudart common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-l:libzstd.a -l:liblz4.a -lmpfr -lgmp -lm)

# The folder as a whole: a header that is gone is gone there too.
$(call stamp,$(BUILD)/include/cuda-headers.list,$(strip $(CUDA_HEADERS)))
$(BUILD)/include/cuda/cuda_runtime.h: $(CUDA_HEADERS) $(BUILD)/include/cuda-headers.list
	$(call say,COPY,$(@D))
	$(Q)rm -rf $(@D) && cp -r common/cuda/include $(@D) && touch $@
ALL_EXTRA += $(BUILD)/include/cuda/cuda_runtime.h

# cuda_runtime.h precompiled for the options that labs are compiled with, where there is a clang; `grade` does it again for another one.
$(BUILD)/precompiled/made: $(BUILD)/bin/labcc $(BUILD)/include/cuda/cuda_runtime.h
	$(Q)rm -rf $(@D) && mkdir -p $(@D) && { $(BUILD)/bin/labcc --precompile -arch=compute_75 $(LAB_OPTIONS) 2>/dev/null || true; } && touch $@
ALL_EXTRA += $(BUILD)/precompiled/made
