$(call module,grader/build)
