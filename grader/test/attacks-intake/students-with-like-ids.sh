# expect: no-gpu-work
# The control of the twins: ids that a person tells apart.
hand_in s001
hand_in s01
hand_in $'s\xc3\xa9'
hand_in se
