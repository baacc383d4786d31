$(call module,grader/similar)
$(call unit_tests,grader/similar,grader/similar grader/core grader/text common/base,-lyaml -ljansson -lnettle -lm)
