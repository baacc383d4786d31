$(call module,grader/report)
$(call unit_tests,grader/report,grader/report grader/similar grader/db grader/core grader/text common/base,-lsqlite3 -lyaml -ljansson -lnettle -lm)
$(BUILD)/grader/report/page.o: grader/report/page/report.css grader/report/page/report.js
