# Benchmarks of the grader.

.PHONY: bench-grader
bench-grader: all ## time grading against plain nvcc runs: N=100 submissions, JOBS at a time
	@BUILD=$(BUILD) grader/bench/bench.sh $(N) $(JOBS)

.PHONY: bench-class
bench-class: all ## time grading a whole class against its nvcc runs alone: STUDENTS=300, JOBS=2, LABS="all of them"
	@BUILD=$(BUILD) grader/bench/class.sh "$(STUDENTS)" "$(JOBS)" "$(LABS)"
