# expect: refused
# A hundred megabytes of nothing in a hundred kilobytes.
{ head -c 100000000 /dev/zero | entry $lab/vector_add.cu; end; } | gzip >"$to/s001_$lab.tar.gz"
