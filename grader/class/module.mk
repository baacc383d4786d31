$(call module,grader/class)
$(call unit_tests,grader/class,grader/class grader/submission grader/judge grader/build grader/sandbox grader/runner grader/core grader/text common/base,-lyaml -ljansson -lnettle -lseccomp -lelf -lm)
