$(call module,grader/submission)
$(call unit_tests,grader/submission,grader/submission grader/judge grader/build grader/sandbox grader/runner grader/core grader/text common/base,-lyaml -ljansson -lnettle -lseccomp -lelf -lm)
