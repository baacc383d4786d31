# expect: run-refused
# Two students whose ids look alike: an accented letter of one character, and of two.
hand_in $'jos\xc3\xa9-s001'
hand_in $'jose\xcc\x81-s001'
