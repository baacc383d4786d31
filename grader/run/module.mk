$(call module,grader/run)
$(call unit_tests,grader/run,grader/run grader/judge grader/build grader/sandbox grader/runner grader/core grader/text common/base,-lyaml -ljansson -lnettle -lseccomp -lelf -lm)
