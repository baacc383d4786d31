# expect: run-refused
# Two students whose ids differ by case only: one folder on some file systems. (Control: ids that differ.)
hand_in s001
hand_in S001
