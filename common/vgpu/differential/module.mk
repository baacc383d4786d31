# Random kernels, for the virtual GPU and a card alike. The program needs no library but libcuda.so.1, and that by dlopen.

$(call module,common/vgpu/differential)
$(call program,differential,common/vgpu/differential,common/vgpu/differential common/base,-ldl -lm)

DIFFERENTIAL_SEEDS ?= 100

.PHONY: differential
differential: all ## answers of random kernels on the virtual GPU, to compare with a card's (common/vgpu/differential)
	@mkdir -p $(BUILD)/differential
	@$(BUILD)/bin/vgpu --quiet --device=h100 $(BUILD)/bin/differential --seeds=$(DIFFERENTIAL_SEEDS) >$(BUILD)/differential/virtual.txt
	@cp $(BUILD)/bin/differential common/vgpu/differential/run.sh $(BUILD)/differential/
	@echo "$(BUILD)/differential: carry it to a machine with a card, and run run.sh there"
