$(call module,grader/db)
$(call unit_tests,grader/db,grader/db grader/core grader/text common/base,-lsqlite3 -lyaml -ljansson -lnettle -lm)
