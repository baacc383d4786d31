# The benchmark of the virtual GPU. What nvcc and OpenCL are needed for is built by its own target alone.

BENCH := common/vgpu/bench
BENCH_PROGRAMS := $(BUILD)/bench/cuda $(BUILD)/bench/plain $(if $(wildcard /usr/include/CL/cl.h),$(BUILD)/bench/opencl)

$(call program,bench-rate,$(BENCH),common/vgpu/check common/vgpu/perf common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-lm -lpthread)

$(BUILD)/bench/cuda: $(BENCH)/cuda.cu $(BENCH)/bench.h
	@mkdir -p $(@D)
	$(Q)$(NVCC) -cudart shared -arch=$(CUDA_ARCH) -O3 -lineinfo -g -I. -o $@ $<
$(BUILD)/bench/plain: $(BENCH)/plain.c $(BENCH)/bench.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(CSTD) $(WARN) -O3 -I. -o $@ $< -lm
$(BUILD)/bench/opencl: $(BENCH)/opencl.c $(BENCH)/bench.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(CSTD) $(WARN) -O3 -I. -o $@ $< -lOpenCL -lm

.PHONY: bench-vgpu
bench-vgpu: all $(BENCH_PROGRAMS) $(BUILD)/bin/bench-rate ## the virtual GPU beside PoCL and plain C, in one run (some minutes)
	@BUILD=$(BUILD) $(BENCH)/bench.sh
