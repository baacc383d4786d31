# expect: refused
# The same, with an innocent beginning.
{ answer | entry $lab/vector_add.cu; answer | entry "$lab/x/../../../canary"; end; } >"$to/s001_$lab.tar"
