# The lab library, and for every lab its driver object and its judge.
#
#   build/lib/liblab.a               what a student's program links: common/lab with the harness's main, in one object
#                                    whose only global names are lab_*, check_*, main
#   build/lib/liblab-own.a           the same for programs that have a main of their own: a lab's optional part
#   build/labs/NN-name/driver.o      labs/NN-name/driver.c
#   build/labs/NN-name/lab.yaml.read the public cases' names: what is no YAML stops `make`
#   build/labs/NN-name/judge         labs/NN-name/reference.c and the judge
#
# The first three go into programs that nvcc links: they are built without sanitizers and coverage.

$(call module,common/lab,-isystem common/cuda/include)

LAB_JUDGE_LIBS := $(call libname,common/lab) $(call libname,common/base)
LAB_STUDENT_CFLAGS := $(CSTD) $(OPT) $(WARN) -fPIC -fvisibility=hidden -isystem common/cuda/include -I. -Icommon/lab
LAB_STUDENT_OBJECTS := $(patsubst %.c,$(BUILD)/student/%.o,\
    $(filter-out common/lab/judge%,$(wildcard common/lab/*.c)) common/base/io.c common/base/language.c common/base/status.c common/base/strbuf.c)

$(call stamp,$(BUILD)/student/objects.list,$(strip $(LAB_STUDENT_OBJECTS:$(BUILD)/%=%)))
$(BUILD)/student/%.o: %.c $(FLAGS_STAMP) common/lab/module.mk
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LAB_STUDENT_CFLAGS) -MMD -MP -c -o $@ $<

# Without lines of its own: a fault is the caller's.
$(BUILD)/student/common/lab/bounds.o: LAB_STUDENT_CFLAGS += -g0

$(BUILD)/student/lab.o: $(LAB_STUDENT_OBJECTS) $(BUILD)/student/objects.list
	$(Q)$(LD) -r -o $@ $(filter %.o,$^)
	$(Q)$(OBJCOPY) --localize-hidden $@

$(BUILD)/student/lab-own.o: $(filter-out %/main.o %/case.o,$(LAB_STUDENT_OBJECTS)) $(BUILD)/student/objects.list
	$(Q)$(LD) -r -o $@ $(filter %.o,$^)
	$(Q)$(OBJCOPY) --localize-hidden $@

$(BUILD)/lib/liblab.a: $(BUILD)/student/lab.o
$(BUILD)/lib/liblab-own.a: $(BUILD)/student/lab-own.o
$(BUILD)/lib/liblab.a $(BUILD)/lib/liblab-own.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

LAB_NAMES := $(patsubst labs/%/lab.yaml,%,$(sort $(wildcard labs/*/lab.yaml)))

# A wrong sum that a reference works out wraps round, as it does on a device.
WRAPS_ROUND := -fwrapv

define lab_body
$(BUILD)/labs/$(1)/driver.o: labs/$(1)/driver.c $(FLAGS_STAMP)
	$$(call say,CC,$$<)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LAB_STUDENT_CFLAGS) -MMD -MP -c -o $$@ $$<
$(BUILD)/labs/$(1)/reference.o: labs/$(1)/reference.c $(FLAGS_STAMP)
	$$(call say,CC,$$<)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) $(WRAPS_ROUND) -I. -Icommon/lab -MMD -MP -c -o $$@ $$<
$(BUILD)/labs/$(1)/judge: $(BUILD)/labs/$(1)/reference.o $(BUILD)/common/lab/judge_main.o $(LAB_JUDGE_LIBS)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$^ -lm
$(BUILD)/labs/$(1)/lab.yaml.read: labs/$(1)/lab.yaml | $(BUILD)/bin/labtool
	@mkdir -p $$(@D)
	$$(Q)$(RUN) $(BUILD)/bin/labtool cases labs/$(1) >$$@.new
	@mv $$@.new $$@
ALL_EXTRA += $(BUILD)/labs/$(1)/driver.o $(BUILD)/labs/$(1)/judge $(BUILD)/labs/$(1)/lab.yaml.read
ALL_DEPS += $(BUILD)/labs/$(1)/driver.d $(BUILD)/labs/$(1)/reference.d
endef
$(foreach lab,$(LAB_NAMES),$(eval $(call lab_body,$(lab))))

ALL_EXTRA += $(BUILD)/lib/liblab.a $(BUILD)/lib/liblab-own.a
ALL_DEPS += $(LAB_STUDENT_OBJECTS:.o=.d) $(BUILD)/common/lab/judge_main.d

$(call unit_tests,common/lab,common/lab common/base,-lm)
$(BUILD)/common/lab/test/%.o: EXTRA_CFLAGS := -isystem common/cuda/include
