$(call module,grader/judge)
$(call unit_tests,grader/judge,grader/judge grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
