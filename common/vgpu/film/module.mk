$(call module,common/vgpu/film)
$(call unit_tests,common/vgpu/film,common/vgpu/film common/vgpu/fuzz/kernels common/vgpu/perf common/vgpu/check common/vgpu/exec common/vgpu/mem common/vgpu/ir common/vgpu/ptx common/base,-ljansson -lm)

.PHONY: bench-film
bench-film: all ## what a film costs, and how fast one of 100,000 steps follows its slider (needs nvcc, node, Chromium: make setup-all)
	@mkdir -p $(BUILD)/bench
	$(Q)$(NVCC) -cudart shared -arch=$(CUDA_ARCH) -lineinfo -g -o $(BUILD)/bench/film common/vgpu/tool/test/film_page.cu
	@$(BUILD)/bin/vgpu --quiet --film=$(BUILD)/bench/film.html --film-launch=loop $(BUILD)/bench/film || true
	$(Q)$(NVCC) -cudart shared -arch=$(CUDA_ARCH) -lineinfo -g -o $(BUILD)/bench/film-cost common/vgpu/film/cost.cu
	@common/vgpu/film/cost.sh $(BUILD)/bin/vgpu $(BUILD)/bench/film-cost
	@node common/vgpu/film/bench.mjs grader/report/test/browser $(BUILD)/bench/film.html
