# Benchmarks of the grader.

.PHONY: bench-grader
bench-grader: all ## time grading against plain nvcc runs: N=100 submissions, JOBS at a time
	@BUILD=$(BUILD) grader/bench/bench.sh $(N) $(JOBS)
