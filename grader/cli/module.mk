$(call module,grader/cli)
$(call program,grade,grader/cli,grader/cli grader/review grader/report grader/similar grader/archive grader/db grader/class grader/submission grader/judge grader/build grader/sandbox grader/runner grader/core grader/text common/base,-lmicrohttpd -larchive -l:libutf8proc.a -lsqlite3 -lyaml -ljansson -lnettle -lseccomp -lelf -lm)
