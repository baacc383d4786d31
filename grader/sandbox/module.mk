$(call module,grader/sandbox)
$(call unit_tests,grader/sandbox,grader/sandbox grader/runner common/base,-lseccomp)
$(BUILD)/grader/sandbox/test/test_sandbox: $(BUILD)/grader/sandbox/test/hostile.o
$(BUILD)/grader/sandbox/test/test_cgroup: $(BUILD)/grader/sandbox/test/hostile.o
