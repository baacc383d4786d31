# What a machine with a GPU needs that has gcc, make and nvcc and nothing else of ours: the commands linked statically, labs,
# solutions and the test itself.
#
#   make gpu-bundle                    build/gpu-bundle/, to be carried there
#   make test-gpu                      on this machine, if it has a GPU
#   build/gpu-bundle/test-gpu OUT      on the other one

STATIC_LIBS := -larchive -l:libutf8proc.a -lsqlite3 -lyaml -ljansson -lseccomp -lelf -lnettle -llzma -lzstd -llz4 -lbz2 -lz -lm
GRADE_DIRS := grader/cli grader/report grader/similar grader/archive grader/db grader/class grader/submission grader/judge grader/build grader/sandbox grader/runner grader/core grader/text common/base
JUDGES_STATIC := $(patsubst %,$(BUILD)/gpu/labs/%/judge,$(LAB_NAMES))

$(BUILD)/gpu/grade: $(BUILD)/grader/cli/main.o $(BUILD)/grader/gpu/no_xar.o $(BUILD)/grader/gpu/no_review.o $(foreach d,$(GRADE_DIRS),$(call libname,$(d)))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -static -o $@ $(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) $(STATIC_LIBS) -Wl,--end-group 2>$@.log || { cat $@.log; false; }

$(BUILD)/gpu/labtool: $(BUILD)/bin/labtool
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -static -o $@ $(BUILD)/common/starters/labtool_main.o $(call libname,common/starters) $(call libname,common/base) -lyaml

$(BUILD)/gpu/profile-table: $(BUILD)/bin/profile-table
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -static -o $@ $(BUILD)/common/profile/main.o $(call libname,common/profile) $(call libname,common/base) -ljansson -lm

# For cases about a card that it models.
$(BUILD)/gpu/vgpu: $(BUILD)/bin/vgpu
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -static -o $@ $(BUILD)/common/vgpu/tool/main.o -Wl,--start-group $(foreach d,$(VGPU_TOOL_DIRS),$(call libname,$(d))) -Wl,--end-group $(VGPU_TOOL_LIBS) $(STATIC_LIBS) -ldl 2>$@.log || { cat $@.log; false; }

$(JUDGES_STATIC): $(BUILD)/gpu/labs/%/judge: $(BUILD)/labs/%/reference.o $(BUILD)/common/lab/judge_main.o $(LAB_JUDGE_LIBS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -static -o $@ $^ -lm

.PHONY: gpu-bundle test-gpu
gpu-bundle: all ladder-programs $(BUILD)/gpu/grade $(BUILD)/gpu/labtool $(BUILD)/gpu/profile-table $(BUILD)/gpu/vgpu $(JUDGES_STATIC) ## what a machine with a GPU needs for test-gpu, in build/gpu-bundle
	@BUILD=$(BUILD) grader/gpu/bundle.sh $(BUILD)/gpu-bundle

test-gpu: gpu-bundle ## on a machine with a GPU: every submission, the sanitizers, the ladders: results in build/test-gpu
	@$(BUILD)/gpu-bundle/test-gpu $(BUILD)/test-gpu

.PHONY: record-gpu
record-gpu: all ladder-programs ## FROM=OUT [FIGURES="large broken"]: what test-gpu wrote on a card into the repository, and the pages and tables made of it
	@[ -n "$(FROM)" ] || { echo 'make record-gpu FROM=OUT: which folder of test-gpu?' >&2; exit 2; }
	@grader/gpu/record.sh '$(FROM)' $(if $(FIGURES),'$(FIGURES)')
	@$(MAKE) -s found-by ladder-tables calibration

.PHONY: found-by
found-by: ## docs/found-by.md: what a plain run, compute-sanitizer and the virtual GPU find
	@grader/gpu/found-by.sh >$(BUILD)/found-by.md && mv $(BUILD)/found-by.md docs/found-by.md
