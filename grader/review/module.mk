$(call module,grader/review)
$(call unit_tests,grader/review,grader/review grader/report grader/similar grader/db grader/core grader/text common/base,-lmicrohttpd -lsqlite3 -lyaml -ljansson -l:libutf8proc.a -lm)
