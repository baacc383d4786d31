# Handouts, slides, the course book and the site: made by pandoc from the labs' README.md files and the manuals in this folder.
#
#   make handouts                  $(BUILD)/handouts/NN-name.html, .pdf, -slides.html
#   make handouts SOLUTIONS=1      $(BUILD)/handouts/solutions/..., the instructor's edition
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

# What a handout shows: the README, lab.yaml, figures, and in the instructor's edition the solution's folder.
doc_sources = labs/$(1)/README.md labs/$(1)/lab.yaml $(wildcard labs/$(1)/*.svg) \
	$(if $(SOLUTIONS),$(wildcard solutions/$(1)/*.cu solutions/$(1)/*.yaml solutions/$(1)/*.md)) $(DOC_TOOLS) $(BUILD)/doc-labs

# Changes when a lab comes or goes: handouts link to one another.
$(BUILD)/doc-labs: FORCE
	@mkdir -p $(@D)
	@echo '$(DOC_LABS)' | cmp -s - $@ || echo '$(DOC_LABS)' >$@
.PHONY: FORCE
FORCE:

define document_rules
$(HANDOUTS)/$(1).html: $(call doc_sources,$(1)) | doc-tools
	$$(call say,HTML,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(PANDOC) $$(DOC_COMMON) $$(DOC_HTML) --self-contained --css $$(PANDOC_DIR)/handout.css -M lab=$(1) $$(DOC_EDITION) \
		--lua-filter $$(PANDOC_DIR)/handout.lua -o $$@ $$<
$(HANDOUTS)/$(1)$(PAPER_SUFFIX).pdf: $(call doc_sources,$(1)) | doc-tools
	$$(call say,PDF,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(PANDOC) $$(DOC_COMMON) -M lab=$(1) $$(DOC_EDITION) --lua-filter $$(PANDOC_DIR)/handout.lua $$(DOC_TEX) -o $$@ $$<
$(HANDOUTS)/$(1)-slides.html: $(call doc_sources,$(1)) | doc-tools
	$$(call say,SLIDES,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(PANDOC) $$(DOC_COMMON) -t html5 --mathml --template $$(PANDOC_DIR)/slides.html --self-contained --css $$(PANDOC_DIR)/slides.css \
		-M lab=$(1) --lua-filter $$(PANDOC_DIR)/slides.lua -o $$@ $$<
endef
$(foreach lab,$(DOC_LABS),$(eval $(call document_rules,$(lab))))

DOC_BOOK := $(BUILD)/book/cuda-labs$(PAPER_SUFFIX).pdf $(BUILD)/book/cuda-labs.epub
$(DOC_BOOK): $(PANDOC_DIR)/book.md $(foreach lab,$(DOC_LABS),$(call doc_sources,$(lab))) | doc-tools
	$(call say,BOOK,$@)
	@mkdir -p $(@D)
	$(Q)$(PANDOC) $(filter-out -f gfm%,$(DOC_COMMON)) -f markdown --lua-filter $(PANDOC_DIR)/book.lua --toc --toc-depth=1 \
		$(if $(filter %.pdf,$@),$(DOC_TEX) -V book=1 --top-level-division=chapter,-t epub3 --mathml --css $(PANDOC_DIR)/handout.css) -o $@ $<
	$(Q)$(if $(filter %.epub,$@),perl $(PANDOC_DIR)/zip-times.pl $@)

.PHONY: handouts book doc-tools

HANDOUT_FILES := $(foreach lab,$(DOC_LABS),$(HANDOUTS)/$(lab).html $(HANDOUTS)/$(lab)$(PAPER_SUFFIX).pdf \
	$(if $(SOLUTIONS),,$(HANDOUTS)/$(lab)-slides.html))

handouts: $(HANDOUT_FILES) ## the labs' handouts (HTML, PDF) and slides: SOLUTIONS=1 for the instructor, PAPER=letter

book: $(DOC_BOOK) ## all handouts as one book, PDF and EPUB: PAPER=letter

doc-tools:
	@for tool in pandoc pdflatex rsvg-convert; do command -v $$tool >/dev/null || \
		{ echo "$$tool is not installed; \`make setup-all\` installs what handouts need" >&2; exit 2; }; done
