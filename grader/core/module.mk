$(call module,grader/core)
$(call unit_tests,grader/core,grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
