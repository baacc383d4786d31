# Handouts, slides, the course book and the site: made by pandoc from the labs' README.md files and the manuals in this folder.
#
#   make handouts                  $(BUILD)/handouts/NN-name.html, .pdf, -slides.html
#   make handouts SOLUTIONS=1      $(BUILD)/handouts/solutions/..., the instructor's edition
#   make handouts KIT_LANG=zh-CN   $(BUILD)/handouts/NN-name.zh-CN.html, .pdf: the labs that have a README.zh-CN.md
#   make book, make site           $(BUILD)/book/, $(BUILD)/site/
#   PAPER=letter                   US letter instead of A4: NN-name-letter.pdf
#
# A lab is one rule each (document_rules), so that a page is made again only when what it shows has changed. The same sources
# give the same bytes: no date is written, and SOURCE_DATE_EPOCH is fixed.

PANDOC_DIR := docs/pandoc
DOC_LABS := $(patsubst labs/%/README.md,%,$(wildcard labs/*/README.md))
DOC_TOOLS := $(wildcard $(PANDOC_DIR)/*)
PAPER_SUFFIX := $(if $(filter letter,$(PAPER)),-letter)

HANDOUTS := $(BUILD)/handouts$(if $(SOLUTIONS),/solutions)
DOC_EDITION := $(if $(SOLUTIONS),-M edition=solutions)
DOC_COMMON := -f gfm+tex_math_dollars --fail-if-warnings --syntax-definition $(PANDOC_DIR)/cuda.xml -M labs='$(DOC_LABS)'
DOC_HTML := -t html5 --mathml --template $(PANDOC_DIR)/template.html --toc --toc-depth=2
DOC_TEX := --pdf-engine=pdflatex --template $(PANDOC_DIR)/template.tex --highlight-style $(PANDOC_DIR)/print.theme \
	--lua-filter $(PANDOC_DIR)/paper.lua $(if $(PAPER_SUFFIX),-V letter=1)
PANDOC := SOURCE_DATE_EPOCH=315532800 LC_ALL=C.UTF-8 pandoc

# Films of the labs' solutions and of classic mistakes, and a picture of each (films.sh). Needs the solutions, and a compiler.
FILM_LIST := $(if $(shell command -v $(NVCC) clang),$(wildcard solutions/films.txt))
FILMS := $(if $(FILM_LIST),$(shell awk -F' [|] ' '!/^\#/ { print $$1 "-" $$2 }' $(FILM_LIST)))
lab_films = $(patsubst %,$(BUILD)/films/%.$(2),$(filter $(1)-%,$(FILMS)))
define film_rule
$(BUILD)/films/$(1)-$(2).svg: docs/films.sh $(FILM_LIST) $(wildcard labs/$(1)/*.cu labs/$(1)/*.h labs/$(1)/lab.yaml solutions/$(1)/*.cu solutions/$(1)/broken/*) common/vgpu/tool/film_still.c \
		$(wildcard common/vgpu/film/*.c common/vgpu/film/page/*) | all
	$$(call say,FILM,$$@)
	$$(Q)BUILD=$(BUILD) docs/films.sh $(1) $(2)
$(BUILD)/films/$(1)-$(2).html: $(BUILD)/films/$(1)-$(2).svg ;
endef
$(foreach lab,$(DOC_LABS),$(foreach kind,$(patsubst $(lab)-%,%,$(filter $(lab)-%,$(FILMS))),$(eval $(call film_rule,$(lab),$(kind)))))

# What a handout shows: the README, lab.yaml, figures, and in the instructor's edition the solution's folder.
doc_sources = labs/$(1)/README.md labs/$(1)/lab.yaml $(wildcard labs/$(1)/*.svg) $(call lab_films,$(1),svg) \
	$(if $(SOLUTIONS),$(wildcard solutions/$(1)/*.cu solutions/$(1)/*.yaml solutions/$(1)/*.md)) $(DOC_TOOLS) $(BUILD)/doc-labs

# Changes when a lab comes or goes: handouts link to one another.
$(BUILD)/doc-labs: FORCE
	@mkdir -p $(@D)
	@echo '$(DOC_LABS)' | cmp -s - $@ || echo '$(DOC_LABS)' >$@
.PHONY: FORCE
FORCE:

define document_rules
$(HANDOUTS)/$(1).html: $(call doc_sources,$(1)) | doc-pandoc
	$$(call say,HTML,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(PANDOC) $$(DOC_COMMON) $$(DOC_HTML) --self-contained --css $$(PANDOC_DIR)/handout.css -M lab=$(1) -M films=$(BUILD)/films $$(DOC_EDITION) \
		--lua-filter $$(PANDOC_DIR)/handout.lua -o $$@ $$<
$(HANDOUTS)/$(1)$(PAPER_SUFFIX).pdf: $(call doc_sources,$(1)) | doc-tools
	$$(call say,PDF,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(PANDOC) $$(DOC_COMMON) -M lab=$(1) -M films=$(BUILD)/films $$(DOC_EDITION) --lua-filter $$(PANDOC_DIR)/handout.lua $$(DOC_TEX) -o $$@ $$<
$(HANDOUTS)/$(1)-slides.html: $(call doc_sources,$(1)) | doc-tools
	$$(call say,SLIDES,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(PANDOC) $$(DOC_COMMON) -t html5 --mathml --template $$(PANDOC_DIR)/slides.html --self-contained --css $$(PANDOC_DIR)/slides.css \
		-M lab=$(1) -M films=$(BUILD)/films --lua-filter $$(PANDOC_DIR)/slides.lua -o $$@ $$<
endef
$(foreach lab,$(DOC_LABS),$(eval $(call document_rules,$(lab))))

# The translations: README.LANGUAGE.md and lab.LANGUAGE.yaml beside the originals.
LANGUAGES := zh-CN
translated_labs = $(patsubst labs/%/README.$(1).md,%,$(wildcard labs/*/README.$(1).md))
translation_sources = $(call doc_sources,$(2)) $(wildcard solutions/films.$(1).txt) labs/$(2)/README.$(1).md labs/$(2)/lab.$(1).yaml
# Not `lang`: pandoc knows no words of its own in Chinese, and warns.
TRANSLATE = -M language=$(1) -M translated='$(call translated_labs,$(1))'
# Chinese lines are joined without a blank.
TRANSLATED_COMMON = $(subst tex_math_dollars,tex_math_dollars+east_asian_line_breaks,$(DOC_COMMON))
CHINESE_TEX := $(patsubst --pdf-engine=%,--pdf-engine=xelatex,$(DOC_TEX)) -V chinese=1

define translation_rules
$(BUILD)/handouts/$(2).$(1).html: $(call translation_sources,$(1),$(2)) | doc-pandoc
	$$(call say,HTML,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(PANDOC) $$(TRANSLATED_COMMON) $$(DOC_HTML) --self-contained --css $$(PANDOC_DIR)/handout.css -M lab=$(2) -M films=$(BUILD)/films $(call TRANSLATE,$(1)) \
		--lua-filter $$(PANDOC_DIR)/handout.lua -o $$@ labs/$(2)/README.$(1).md
$(BUILD)/handouts/$(2).$(1)$(PAPER_SUFFIX).pdf: $(call translation_sources,$(1),$(2)) | doc-tools doc-tools-$(1)
	$$(call say,PDF,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(PANDOC) $$(TRANSLATED_COMMON) -M lab=$(2) -M films=$(BUILD)/films $(call TRANSLATE,$(1)) --lua-filter $$(PANDOC_DIR)/handout.lua $$(CHINESE_TEX) \
		-o $$@ labs/$(2)/README.$(1).md
$(BUILD)/site/$(2).$(1).html: $(call translation_sources,$(1),$(2)) | doc-tools
	$$(call say,PAGE,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(PANDOC) $$(subst $$(DOC_COMMON),$$(TRANSLATED_COMMON),$$(SITE_HTML)) -M lab=$(2) -M films=$(BUILD)/films -M films_at=films $(call TRANSLATE,$(1)) --lua-filter $$(PANDOC_DIR)/handout.lua -o $$@ labs/$(2)/README.$(1).md
endef
$(foreach language,$(LANGUAGES),$(foreach lab,$(call translated_labs,$(language)),$(eval $(call translation_rules,$(language),$(lab)))))

DOC_BOOK := $(BUILD)/book/cuda-labs$(PAPER_SUFFIX).pdf $(BUILD)/book/cuda-labs.epub
# An EPUB has no frame beside its text, and its readers do not know :has().
$(DOC_BOOK): $(PANDOC_DIR)/book.md $(foreach lab,$(DOC_LABS),$(call doc_sources,$(lab))) | doc-tools
	$(call say,BOOK,$@)
	@mkdir -p $(@D)
	$(Q)grep -v ':has(' $(PANDOC_DIR)/handout.css >$@.css
	$(Q)$(PANDOC) $(filter-out -f gfm%,$(DOC_COMMON)) -f markdown -M films=$(BUILD)/films --lua-filter $(PANDOC_DIR)/book.lua --toc --toc-depth=1 \
		$(if $(filter %.pdf,$@),$(DOC_TEX) -V book=1 --top-level-division=chapter,-t epub3 --mathml --css $@.css) -o $@ $<
	$(Q)rm $@.css
	$(Q)$(if $(filter %.epub,$@),perl $(PANDOC_DIR)/zip-times.pl $@)

# The site: one folder of plain files that any web server, or none, can show.
SITE := $(BUILD)/site
DOC_PAGES := $(patsubst docs/%.md,%,$(wildcard docs/*.md))
DOC_FIGURES := $(wildcard $(foreach lab,$(DOC_LABS),labs/$(lab)/*.svg))
SITE_HTML := $(DOC_COMMON) $(DOC_HTML) --css handout.css -M site=./ -M pages='$(DOC_PAGES)' $(patsubst %,-V %=1,$(filter instructor security,$(DOC_PAGES)))
DOC_TRANSLATIONS = $(foreach language,$(LANGUAGES),$(patsubst %,%.$(language),$(call translated_labs,$(language))))
SITE_ALL := $(wildcard labs/*/README.*.md labs/*/lab.*.yaml) $(foreach lab,$(DOC_LABS),labs/$(lab)/README.md labs/$(lab)/lab.yaml) $(wildcard docs/*.md) $(DOC_TOOLS) $(BUILD)/doc-labs
SITE_FILES := $(addprefix $(SITE)/,index.html search.html search-index.js handout.css $(DOC_FIGURES) $(DOC_PAGES:%=%.html) \
	$(foreach lab,$(DOC_LABS),$(lab).html $(lab).pdf $(lab)-slides.html) $(foreach film,$(FILMS),films/$(film).svg films/$(film).html) \
	$(foreach language,$(LANGUAGES),$(patsubst %,%.$(language).html,$(call translated_labs,$(language)))))

# The language of a page docs/NAME.LANGUAGE.md.
PAGE_LANGUAGE = $(filter $(LANGUAGES),$(subst .,,$(suffix $*)))
$(DOC_PAGES:%=$(SITE)/%.html): $(SITE)/%.html: docs/%.md $(DOC_TOOLS) $(BUILD)/doc-labs | doc-tools
	$(call say,PAGE,$@)
	@mkdir -p $(@D)
	$(Q)$(PANDOC) $(if $(PAGE_LANGUAGE),$(subst $(DOC_COMMON),$(TRANSLATED_COMMON),$(SITE_HTML)) $(call TRANSLATE,$(PAGE_LANGUAGE)),$(SITE_HTML)) \
		--lua-filter $(PANDOC_DIR)/manual.lua -o $@ $<
$(DOC_LABS:%=$(SITE)/%.html): $(SITE)/%.html: $(SITE_ALL) $(FILMS:%=$(BUILD)/films/%.svg) | doc-tools
	$(call say,PAGE,$@)
	@mkdir -p $(@D)
	$(Q)$(PANDOC) $(SITE_HTML) -M lab=$* -M films=$(BUILD)/films -M films_at=films --lua-filter $(PANDOC_DIR)/handout.lua -o $@ labs/$*/README.md
$(SITE)/index.html: $(SITE_ALL) | doc-tools
	$(call say,PAGE,$@)
	@mkdir -p $(@D)
	$(Q)$(PANDOC) $(filter-out -f gfm% --toc --toc-depth=2,$(SITE_HTML)) -f markdown -M translations='$(DOC_TRANSLATIONS)' --lua-filter $(PANDOC_DIR)/site.lua -o $@ $(PANDOC_DIR)/site.md
$(SITE)/search.html: $(DOC_TOOLS) | doc-tools
	$(call say,PAGE,$@)
	@mkdir -p $(@D)
	$(Q)$(PANDOC) $(filter-out -f gfm% --toc --toc-depth=2,$(SITE_HTML)) -f markdown --include-after-body $(PANDOC_DIR)/search.html \
		--lua-filter $(PANDOC_DIR)/manual.lua \
		-o $@ $(PANDOC_DIR)/search.md
$(SITE)/search-index.js: $(SITE_ALL) | doc-tools
	$(call say,INDEX,$@)
	@mkdir -p $(@D)
	$(Q)$(PANDOC) $(filter-out -f gfm%,$(DOC_COMMON)) -f markdown -t html -M pages='$(DOC_PAGES)' -M translations='$(DOC_TRANSLATIONS)' --lua-filter $(PANDOC_DIR)/search.lua -o $@ /dev/null
$(DOC_LABS:%=$(SITE)/%.pdf) $(DOC_LABS:%=$(SITE)/%-slides.html): $(SITE)/%: $(BUILD)/handouts/%
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(foreach film,$(FILMS),$(SITE)/films/$(film).svg $(SITE)/films/$(film).html): $(SITE)/%: $(BUILD)/%
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(SITE)/handout.css: $(PANDOC_DIR)/handout.css
	@mkdir -p $(@D)
	$(Q)cp $< $@
$(DOC_FIGURES:%=$(SITE)/%): $(SITE)/%: %
	@mkdir -p $(@D)
	$(Q)cp $< $@

.PHONY: handouts handout-pages book site check-docs doc-tools doc-pandoc

HANDOUT_FILES := $(foreach lab,$(DOC_LABS),$(HANDOUTS)/$(lab).html $(HANDOUTS)/$(lab)$(PAPER_SUFFIX).pdf \
	$(if $(SOLUTIONS),,$(HANDOUTS)/$(lab)-slides.html))

TRANSLATED_FILES = $(foreach lab,$(call translated_labs,$(1)),$(BUILD)/handouts/$(lab).$(1).html $(BUILD)/handouts/$(lab).$(1)$(PAPER_SUFFIX).pdf)
KIT_LANG ?= en

# What the student bundle has of them.
handout-pages: $(filter %.html,$(filter-out %-slides.html,$(HANDOUT_FILES)) $(foreach language,$(LANGUAGES),$(call TRANSLATED_FILES,$(language))))

handouts: $(if $(filter $(LANGUAGES),$(KIT_LANG)),$(call TRANSLATED_FILES,$(KIT_LANG)),$(HANDOUT_FILES)) ## the labs' handouts (HTML, PDF) and slides: SOLUTIONS=1, PAPER=letter, KIT_LANG=zh-CN

book: $(DOC_BOOK) ## all handouts as one book, PDF and EPUB: PAPER=letter

site: $(SITE_FILES) ## the labs and manuals as a static site: open build/site/index.html

check-docs: all site $(HANDOUT_FILES) $(foreach language,$(LANGUAGES),$(call TRANSLATED_FILES,$(language))) book ## pages, PDFs and the EPUB are valid and fit, links resolve, words are spelt right, commands in manuals and handouts run
	@BUILD=$(BUILD) docs/check/check-docs.sh

doc-pandoc:
	@command -v pandoc >/dev/null || { echo "pandoc is not installed; \`make setup-all\` installs what handouts need" >&2; exit 2; }

doc-tools: doc-pandoc
	@for tool in pdflatex rsvg-convert; do command -v $$tool >/dev/null || \
		{ echo "$$tool is not installed; \`make setup-all\` installs what handouts need" >&2; exit 2; }; done

doc-tools-zh-CN:
	@command -v xelatex >/dev/null && kpsewhich ctexart.cls >/dev/null || \
		{ echo "xelatex with ctex is not installed; \`make setup-all\` installs what Chinese handouts need" >&2; exit 2; }
.PHONY: doc-tools-zh-CN
