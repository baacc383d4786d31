$(call module,grader/archive)
$(call unit_tests,grader/archive,grader/archive grader/core grader/text common/base,-larchive -l:libutf8proc.a -lyaml -ljansson -lnettle -lm)
