# The macros that a folder's module.mk calls.
#
#   $(call module,DIR,EXTRA_CFLAGS,ROOMS)   every DIR/*.c but main.c, and those of its rooms DIR/ROOM -> $(BUILD)/lib/<DIR with _>.a
#   $(call program,NAME,DIR,LIBDIRS,LDLIBS) DIR/main.c + the libraries of LIBDIRS -> $(BUILD)/bin/NAME
#   $(call unit_tests,DIR,LIBDIRS,LDLIBS)   each DIR/test/test_*.c -> a cmocka program, run by `make test`
#
#   $(call stamp,FILE,TEXT)                 FILE holds TEXT, and is newer than what was built by another one
#
# A folder's header is included by its path from the root: #include "common/vgpu/ptx/ptx.h".
# What is built is never stale: objects depend on the flags (FLAGS_STAMP) and on the folder's *.mk, archives on the list of their
# objects (list_of), and take the objects of sources that are gone away; programs depend on the *.mk that names their libraries.
# LIBDIRS is in link order, the highest layer first. Scripts named DIR/test/*.t are tests too: they print TAP.

libname = $(BUILD)/lib/$(subst /,_,$(1)).a
objects = $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/main.c,$(wildcard $(1)/*.c)))

rooms = $(1) $(addprefix $(1)/,$(2))
room_objects = $(foreach r,$(call rooms,$(1),$(2)),$(call objects,$(r)))

list_of = $(BUILD)/lib/$(subst /,_,$(1)).list
own_mk = $(wildcard $(1)/*.mk)

# The text is compared when make reads this, without a process; only where it is another one the file is written. GNU make 4.3 leaves
# the newline at the end of some files that it reads: strip takes it.
define stamp_body
STAMP_$(1) := $(2)
ifneq "$$(strip $$(file <$(1)))" "$$(strip $$(STAMP_$(1)))"
$(1): FORCE
endif
$(1):
	@mkdir -p $$(@D)
	@printf '%s\n' '$$(STAMP_$(1))' >$$@
endef
stamp = $(eval $(call stamp_body,$(1),$(2)))

FLAGS_STAMP := $(BUILD)/flags
FLAGS := $(strip $(CC) $(CFLAGS) $(LDFLAGS))
$(call stamp,$(FLAGS_STAMP),$(FLAGS))
.PHONY: FORCE

ALL_PROGRAMS :=
ALL_TESTS :=
ALL_DEPS :=
ALL_LIBS :=

define module_body
$(call stamp_body,$(call list_of,$(1)),$(strip $(notdir $(call room_objects,$(1),$(3)))))
$(call libname,$(1)): $(call room_objects,$(1),$(3)) $(call list_of,$(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	@for o in $(patsubst %,$(BUILD)/%/*.o,$(call rooms,$(1),$(3))); do s=$$$${o#$(BUILD)/}; [ -e $$$${s%.o}.c ] || rm -f $$$$o $$$${o%.o}.d; done
	$$(Q)$$(AR) rcs $$@ $$(filter %.o,$$^)
$(call room_objects,$(1),$(3)): EXTRA_CFLAGS := $(2)
$(call room_objects,$(1),$(3)): $(call own_mk,$(1))
ALL_DEPS += $(patsubst %.o,%.d,$(call room_objects,$(1),$(3)))
ALL_LIBS += $(call libname,$(1))
endef
module = $(eval $(call module_body,$(1),$(2),$(3)))

define program_body
$(BUILD)/bin/$(1): $(BUILD)/$(2)/main.o $(foreach d,$(3),$(call libname,$(d))) $(call own_mk,$(2))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$(filter-out %.mk,$$^) $(4)
ALL_DEPS += $(BUILD)/$(2)/main.d
ALL_PROGRAMS += $(BUILD)/bin/$(1)
endef
program = $(eval $(call program_body,$(1),$(2),$(3),$(4)))

# Compiling tests costs more than running them: -O2 takes three times as long as -O1, which knows less of how long a text may be.
TEST_OPT := $(if $(SAN),,-O1 $(if $(findstring clang,$(CC)),,-Wno-format-truncation))

define unit_test_body
$(BUILD)/$(patsubst %.c,%,$(1)): $(BUILD)/$(patsubst %.c,%.o,$(1)) $(foreach d,$(2),$(call libname,$(d))) $(call own_mk,$(patsubst %/test/,%,$(dir $(1))))
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$(filter-out %.mk,$$^) -lcmocka $(3)
$(BUILD)/$(patsubst %.c,%.o,$(1)): TEST_CFLAGS := $(TEST_OPT)
$(BUILD)/$(patsubst %.c,%.o,$(1)): $(call own_mk,$(patsubst %/test/,%,$(dir $(1)))) common/mk/rules.mk
ALL_TESTS += $(BUILD)/$(patsubst %.c,%,$(1))
ALL_DEPS += $(BUILD)/$(patsubst %.c,%.d,$(1))
endef
unit_tests = $(foreach t,$(wildcard $(1)/test/test_*.c),$(eval $(call unit_test_body,$(t),$(2),$(3))))

$(BUILD)/%.o: %.c $(FLAGS_STAMP)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(EXTRA_CFLAGS) $(TEST_CFLAGS) -I. -MMD -MP -c -o $@ $<
