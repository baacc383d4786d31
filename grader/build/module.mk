$(call module,grader/build)
$(call unit_tests,grader/build,grader/build grader/sandbox grader/runner grader/core grader/text common/base,-lyaml -ljansson -lseccomp -lelf -lm)
