# expect: refused
# The same in a file that nobody takes.
{ answer | entry $lab/vector_add.cu; head -c 100000000 /dev/zero | entry $lab/.cache; end; } | gzip >"$to/s001_$lab.tar.gz"
