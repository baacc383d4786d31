# make install, make uninstall: PREFIX=/usr/local, DESTDIR= while packing, SOLUTIONS=1 for a grading machine. install.sh says what goes where.
# make deb: the same as Debian packages (deb.sh).

PREFIX ?= /usr/local

.PHONY: install uninstall man deb
install: all $(if $(shell command -v pandoc),man) ## PREFIX=/usr/local: the commands, the library, labs and man pages; SOLUTIONS=1 on a grading machine
	@BUILD='$(BUILD)' RUN='$(RUN)' PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' SOLUTIONS='$(SOLUTIONS)' common/mk/install.sh install

uninstall: ## PREFIX=/usr/local: take away what install put there
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' common/mk/install.sh uninstall

deb: all man ## Debian packages of the kit in build/deb: cuda-lab-kit, and cuda-lab-kit-grader with solutions; ARCH=arm64
	@BUILD='$(BUILD)' RUN='$(RUN)' ARCH='$(if $(CROSS),$(or $(ARCH),arm64))' SYSROOT='$(SYSROOT)' common/mk/deb.sh '$(BUILD)/deb'

MAN_PAGES := $(patsubst docs/man/%.md,$(BUILD)/man/%.1,$(wildcard docs/man/*.md))
man: $(MAN_PAGES) ## the manual pages of grade and vgpu, in build/man
$(MAN_PAGES): $(BUILD)/man/%.1: docs/man/%.md $(BUILD)/bin/grade
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)awk '/^<!-- grade manual / { fflush(); system("$(RUN) $(BUILD)/bin/grade manual " $$4); next } { print }' $< | \
	    SOURCE_DATE_EPOCH=315532800 LC_ALL=C.UTF-8 pandoc -f markdown -t man --standalone --fail-if-warnings -o $@
