# vgpu-support writes the pages of what is supported, from the tables.

$(call program,vgpu-support,common/vgpu/support,common/base)

.PHONY: support-pages
support-pages: $(BUILD)/bin/vgpu-support ## write docs/api-support.md and docs/ptx-support.md from the tables
	@$< api >docs/api-support.md && $< ptx >docs/ptx-support.md
