$(call module,grader/sandbox)
$(call unit_tests,grader/sandbox,grader/sandbox grader/runner common/base,-lseccomp)
