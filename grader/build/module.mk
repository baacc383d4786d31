$(call module,grader/build)
$(call unit_tests,grader/build,grader/build grader/sandbox grader/runner grader/core grader/text common/base,-lyaml -ljansson -lnettle -lseccomp -lelf -lm)
