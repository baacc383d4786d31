$(call module,common/base)
$(call unit_tests,common/base,common/base,-ljansson)
