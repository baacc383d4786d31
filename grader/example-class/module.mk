# The example class: fifteen students over two labs, right and wrong in the ways of real classes.

DEMO_OUT := $(BUILD)/demo
# The toolkit that compiles it: its test has one with fewer headers.
DEMO_CUDA_HOME := $(CUDA_HOME)

.PHONY: demo
demo: all ## grade the example class on the virtual GPU into build/demo/
	@rm -rf $(DEMO_OUT)
	@CUDA_HOME='$(DEMO_CUDA_HOME)' $(BUILD)/bin/grade run --submissions grader/example-class --out $(DEMO_OUT) --labs 01-indexing,02-vector-add --seed 1 --jobs $(shell nproc) || [ $$? -eq 1 ]
