# Benchmarks of the grader.

.PHONY: bench-grader
bench-grader: all ## time grading against plain nvcc runs: N=100 submissions, JOBS at a time
	@BUILD=$(BUILD) grader/bench/bench.sh $(N) $(JOBS)

.PHONY: bench-class
bench-class: all ## time grading a whole class against its nvcc runs alone: STUDENTS=300, JOBS=2, LABS="all of them", COMPILER=clang
	@BUILD=$(BUILD) COMPILER='$(COMPILER)' grader/bench/class.sh "$(STUDENTS)" "$(JOBS)" "$(LABS)"

.PHONY: bench-whole-class
bench-whole-class: all ## grade a class in which many submissions are alike, and time report and exports: STUDENTS=300, JOBS=2, LABS="the first 13"
	@BUILD=$(BUILD) grader/bench/whole-class.sh "$(STUDENTS)" "$(JOBS)" "$(LABS)"

.PHONY: bench-isolated
bench-isolated: all ## the cost of a sandbox for the virtual GPU, lab by lab: ROUNDS=5 LABS=01-indexing,...
	@BUILD=$(BUILD) grader/bench/isolated.sh $(or $(ROUNDS),5) $(LABS)
