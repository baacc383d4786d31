# expect: refused
# The archive's own name leads to another student's folder.
{ answer | entry $lab/vector_add.cu; end; } >"$to/..s002_$lab.tar"
