# expect: no-gpu-work
# A student's id that a spreadsheet takes for a formula.
hand_in "=HYPERLINK(\"http:x\",\"s001\")"
