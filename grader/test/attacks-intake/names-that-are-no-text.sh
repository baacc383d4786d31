# expect: refused
# Names with line ends, escape sequences, and bytes that are not UTF-8.
{ answer | entry $lab/vector_add.cu; for odd in "\\x0aok" "\\x1b[2J" "\\xff\\xfe"; do echo x | entry "$lab/$odd"; done; end; } >"$to/s001_$lab.tar"
