# The runner is static, so that nothing in a sandbox has to be there for it; with sanitizers it cannot be.
$(call module,grader/runner)
$(call program,grade-runner,grader/runner,grader/runner,$(if $(SAN)$(COV),,-static))
$(call unit_tests,grader/runner,grader/runner)
