# Ladders: the versions of a lab's computation, timed side by side (ladder.h).
#
#   build/ladders/NN-name   solutions/NN-name/ladder.cu

LADDERS := $(patsubst solutions/%/ladder.cu,$(BUILD)/ladders/%,$(wildcard solutions/*/ladder.cu))
LADDER_C := common/ladder/ladder.c common/lab/cuda_check.c

$(LADDERS): $(BUILD)/ladders/%: solutions/%/ladder.cu $(LADDER_C) common/ladder/ladder.h
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) -O3 -arch=$(CUDA_ARCH) -lineinfo -cudart shared -I. -Icommon/lab -Ilabs/$* -Isolutions/$* -o $@ $< $(LADDER_C)

.PHONY: ladders ladder-programs
ladder-programs: $(LADDERS)
ladders: all $(LADDERS) ## the labs' versions from naive to best, side by side: DEVICE=virtual|gpu
	@BUILD=$(BUILD) CUDA_HOME='$(CUDA_HOME)' common/ladder/ladders.sh $(if $(DEVICE),$(DEVICE),virtual)

.PHONY: bench
bench: all $(LADDERS) ## plain C, the virtual GPU and a GPU side by side, lab by lab, with a picture: DEVICE=virtual|gpu SIZE=default|large MODEL=h100
	@BUILD=$(BUILD) CUDA_HOME='$(CUDA_HOME)' MODEL='$(if $(MODEL),$(MODEL),h100)' SIZE='$(if $(SIZE),$(SIZE),default)' common/ladder/bench.sh $(if $(DEVICE),$(DEVICE),virtual) $(BUILD)/bench.svg

# The order by modelled time against the order on a card.
.PHONY: model-rank
model-rank: all $(LADDERS) ## modelled against measured times of the labs' versions (H100), and how well their orders agree
	$(Q)BUILD=$(BUILD) VGPU_OPTIONS='--device=h100 --check=none' RAW=$(BUILD)/model-rank.tsv common/ladder/ladders.sh virtual >$(BUILD)/model-rank.txt
	$(Q)common/ladder/rank.sh $(BUILD)/model-rank.tsv common/ladder/measured/h100-ladders.tsv

.PHONY: calibration
calibration: all $(LADDERS) ## counters of the virtual GPU beside Nsight Compute's, into docs/vgpu.md
	$(Q)BUILD=$(BUILD) common/ladder/calibrate.sh >$(BUILD)/calibration.md
	$(Q)sed -i -e '/<!-- calibration -->/,/<!-- end calibration -->/{/<!--/!d}' -e '/<!-- calibration -->/r $(BUILD)/calibration.md' docs/vgpu.md

.PHONY: ladder-tables
ladder-tables: ## the measured ladders in the labs' notes.md
	@common/ladder/ladder-tables.sh
