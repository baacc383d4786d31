# expect: no-gpu-work
# A student's id that ends a statement and begins another.
hand_in "s001'); DROP TABLE results; --"
