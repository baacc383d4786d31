# Starters from solutions, `make hint`, new labs, the student bundle.

$(call module,common/starters)
$(call program,starters,common/starters,common/starters common/base,-lyaml)
$(call unit_tests,common/starters,common/starters common/base,-lyaml)

$(BUILD)/bin/labtool: $(BUILD)/common/starters/labtool_main.o $(call libname,common/starters) $(call libname,common/base)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lyaml
ALL_PROGRAMS += $(BUILD)/bin/labtool
ALL_DEPS += $(BUILD)/common/starters/labtool_main.d

SEEDS ?= 20

.PHONY: starters check-starters check-solutions repeat edits contracts new-lab dist

starters: $(BUILD)/bin/starters ## make the labs' starters and the code in their handouts from the solutions
	@$(BUILD)/bin/starters --kit .

check-starters: all ## starters, solutions, broken and accepted submissions: each gets what it must
	@BUILD=$(BUILD) KIT=$(KIT) COMPILER=$(COMPILER) common/starters/test/check-starters.t

check-solutions: all ## every solution, host part sanitized, on every case in SEEDS=20 orders of blocks and warps: no finding, the same bytes; LABS=a,b
	@BUILD=$(BUILD) KIT=$(KIT) SEEDS=$(SEEDS) common/starters/solutions.sh $(subst $(comma), ,$(LABS))

repeat: all ## solutions and some accepted submissions graded TIMES=20 times on a busy machine (LOAD=4): the same result each time; LABS=a,b
	@BUILD=$(BUILD) KIT=$(KIT) TIMES=$(or $(TIMES),20) LOAD=$(or $(LOAD),4) common/starters/repeat.sh $(subst $(comma), ,$(LABS))

edits: $(BUILD)/bin/labtool ## whole sources in broken/ and accepted/ that differ little from the solution become edits of it; LABS=a,b
	@BUILD=$(BUILD) common/starters/edits.sh $(subst $(comma), ,$(LABS))

contracts: ## the labs' tables of contract and cases in notes.md have the sentences that the headers have now; LABS=a,b
	@for lab in $(or $(subst $(comma), ,$(LABS)),$(notdir $(wildcard labs/[0-9]*))); do \
	    stem=$$(echo "$${lab#*-}" | tr - _); notes=solutions/$$lab/notes.md; \
	    common/starters/contract.pl labs/$$lab/$$stem.h $$notes >$(BUILD)/notes.md && cp $(BUILD)/notes.md $$notes; done

new-lab: ## NAME=21-foo: make the folders of a new lab from a template
	@common/starters/new-lab.sh '$(NAME)'

dist: $(BUILD)/bin/starters ## the student bundle, build/dist/*.tar.gz: everything but solutions and hidden cases; LABS=a,b; EXAM=1 without hints; EXPLAIN=1 with answers
	@BUILD=$(BUILD) LABS='$(LABS)' EXAM='$(EXAM)' EXPLAIN='$(EXPLAIN)' common/starters/dist.sh

# What check-starters.t compares results with.
$(BUILD)/common/starters/test/check_result: $(BUILD)/common/starters/test/check_result.o
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -ljansson
unit-tests check-starters: $(BUILD)/common/starters/test/check_result
ALL_DEPS += $(BUILD)/common/starters/test/check_result.d
