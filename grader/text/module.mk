$(call module,grader/text)
$(call unit_tests,grader/text,grader/text common/base)
