# The macros that a folder's module.mk calls.
#
#   $(call module,DIR,EXTRA_CFLAGS)         every DIR/*.c but main.c -> $(BUILD)/lib/<DIR with _>.a
#   $(call program,NAME,DIR,LIBDIRS,LDLIBS) DIR/main.c + the libraries of LIBDIRS -> $(BUILD)/bin/NAME
#   $(call unit_tests,DIR,LIBDIRS,LDLIBS)   each DIR/test/test_*.c -> a cmocka program, run by `make test`
#
# A folder's header is included by its path from the root: #include "common/vgpu/ptx/ptx.h".
# LIBDIRS is in link order, the highest layer first. Scripts named DIR/test/*.t are tests too: they print TAP.

libname = $(BUILD)/lib/$(subst /,_,$(1)).a
objects = $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/main.c,$(wildcard $(1)/*.c)))

ALL_PROGRAMS :=
ALL_TESTS :=
ALL_DEPS :=
ALL_LIBS :=

define module_body
$(call libname,$(1)): $(call objects,$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(Q)$$(AR) rcs $$@ $$^
$(call objects,$(1)): EXTRA_CFLAGS := $(2)
ALL_DEPS += $(patsubst %.o,%.d,$(call objects,$(1)))
ALL_LIBS += $(call libname,$(1))
endef
module = $(eval $(call module_body,$(1),$(2)))

define program_body
$(BUILD)/bin/$(1): $(BUILD)/$(2)/main.o $(foreach d,$(3),$(call libname,$(d)))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$^ $(4)
ALL_DEPS += $(BUILD)/$(2)/main.d
ALL_PROGRAMS += $(BUILD)/bin/$(1)
endef
program = $(eval $(call program_body,$(1),$(2),$(3),$(4)))

define unit_test_body
$(BUILD)/$(patsubst %.c,%,$(1)): $(BUILD)/$(patsubst %.c,%.o,$(1)) $(foreach d,$(2),$(call libname,$(d)))
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$^ -lcmocka $(3)
ALL_TESTS += $(BUILD)/$(patsubst %.c,%,$(1))
ALL_DEPS += $(BUILD)/$(patsubst %.c,%.d,$(1))
endef
unit_tests = $(foreach t,$(wildcard $(1)/test/test_*.c),$(eval $(call unit_test_body,$(t),$(2),$(3))))

$(BUILD)/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(EXTRA_CFLAGS) -I. -MMD -MP -c -o $@ $<
