# Ready-made ways into a course: Gradescope's autograder, a container, a workflow of GitHub Actions, jobs of SLURM and Kubernetes.

.PHONY: gradescope
gradescope: ## LABS=02-vector-add SEED=n: autograders for Gradescope, a zip a lab, in build/gradescope
	@BUILD=$(BUILD) LABS='$(LABS)' SEED='$(SEED)' grader/course/gradescope.sh
