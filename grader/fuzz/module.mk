# Fuzz targets of what the grader reads from submissions and from processes that stood beside them (fuzz_target: common/vgpu/fuzz/module.mk).

GRADER_FUZZ := grader/fuzz
grader_fuzz = $(call fuzz_target,$(1),$(GRADER_FUZZ),$(2),$(3),$(GRADER_FUZZ)/corpus/$(1),$(4))

$(call grader_fuzz,answers,grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
$(call fuzz_target,lab,$(GRADER_FUZZ),grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm,grader/core/test/yaml $(GRADER_FUZZ)/corpus/lab)
$(call grader_fuzz,policy,grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
$(call grader_fuzz,result,grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
$(call grader_fuzz,report,grader/judge grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
$(call grader_fuzz,sanitizer,grader/judge grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
$(call grader_fuzz,counters,grader/judge grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
$(call grader_fuzz,timeline,grader/judge grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
$(call grader_fuzz,elf,grader/build common/base,)
$(call grader_fuzz,edit,common/starters common/base,-lyaml)
$(call grader_fuzz,provenance,grader/judge grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
$(call grader_fuzz,npy,common/lab common/base,-lm)
$(call grader_fuzz,text,grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
$(call grader_fuzz,similar,grader/similar common/base,-lm)
$(call grader_fuzz,runner,grader/sandbox grader/runner common/base,-lseccomp)
$(call grader_fuzz,handin,grader/archive grader/core grader/text common/base,-larchive -l:libutf8proc.a -lyaml -ljansson -lnettle -lm,\
    $(BUILD)/grader/gpu/no_xar.o -lnettle -llzma -lzstd -llz4 -lbz2 -lz)
