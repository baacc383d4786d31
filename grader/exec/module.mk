$(call module,grader/exec)
$(call unit_tests,grader/exec,grader/exec grader/run grader/judge grader/build grader/sandbox grader/runner grader/core grader/text common/base,-lyaml -ljansson -lnettle -lseccomp -lelf -lm)
