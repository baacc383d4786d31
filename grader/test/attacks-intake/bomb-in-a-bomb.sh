# expect: refused
# Packed twice: what comes out of the first is small.
{ head -c 100000000 /dev/zero | entry $lab/vector_add.cu; end; } | gzip | gzip >"$to/s001_$lab.tar.gz"
