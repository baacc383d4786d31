# The `vgpu` command. A sanitizer build of our runtime needs the sanitizer's own first in the program's process.

VGPU_ASAN := $(if $(findstring address,$(SAN)),$(shell $(CC) -print-file-name=libasan.so):)
# Names of kernels are made readable with the C++ library's demangler (device/record.c), which a program brings along; the command
# serves devices too, and has that one function of it linked in, as loading the library would take longer than a small program.
VGPU_TOOL_LIBS := -ljansson -ldw -lelf -Wl,-u,__cxa_demangle -l:libstdc++.a -lm

$(call module,common/vgpu/tool,$(if $(VGPU_ASAN),-DVGPU_PRELOAD_FIRST='"$(VGPU_ASAN)"'))
VGPU_TOOL_DIRS := $(addprefix common/vgpu/,tool remote device film check perf exec mem ir ptx) common/base
$(call program,vgpu,common/vgpu/tool,$(VGPU_TOOL_DIRS),$(VGPU_TOOL_LIBS))
$(call unit_tests,common/vgpu/tool,$(VGPU_TOOL_DIRS),$(VGPU_TOOL_LIBS))
$(BUILD)/common/vgpu/tool/film_page.o: $(addprefix common/vgpu/film/page/,film.css film.html sentence.js film.js)
