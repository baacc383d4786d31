# The table of `make profile`: from the virtual GPU, Nsight Compute or Nsight Systems.

$(call module,common/profile)
$(call program,profile-table,common/profile,common/profile common/base,-ljansson -lm)
$(call unit_tests,common/profile,common/profile common/base,-ljansson -lm)
