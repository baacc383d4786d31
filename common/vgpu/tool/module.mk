# The `vgpu` command. A sanitizer build of our runtime needs the sanitizer's own first in the program's process.

VGPU_ASAN := $(if $(findstring address,$(SAN)),$(shell $(CC) -print-file-name=libasan.so):)
# Names of kernels are made readable with the C++ library's demangler (device/record.c), which a program brings along; the command
# serves devices too, and has that one function of it linked in, as loading the library would take longer than a small program.
VGPU_TOOL_LIBS := -ljansson -ldw -lelf -Wl,-u,__cxa_demangle -l:libstdc++.a -lm

$(call module,common/vgpu/tool,$(if $(VGPU_ASAN),-DVGPU_PRELOAD_FIRST='"$(VGPU_ASAN)"'))
VGPU_TOOL_DIRS := $(addprefix common/vgpu/,tool remote device film check perf exec mem ir ptx) common/base
# A class starts the command for each case, and a third of its start is finding libraries and names in them: where all of them are
# there as archives too, nothing is left to be found.
VGPU_TOOL_STATIC := $(if $(SAN)$(COV),,-static-pie $(VGPU_TOOL_LIBS) -lz -llzma -lbz2 -ldl)
$(call program,vgpu,common/vgpu/tool,$(VGPU_TOOL_DIRS),$(VGPU_TOOL_LIBS),$(VGPU_TOOL_STATIC))
$(call unit_tests,common/vgpu/tool,$(VGPU_TOOL_DIRS),$(VGPU_TOOL_LIBS))
$(BUILD)/common/vgpu/tool/film_page.o: $(addprefix common/vgpu/film/page/,film.css film.html sentence.js film.js)
