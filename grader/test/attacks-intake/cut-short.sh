# expect: refused
{ answer | entry $lab/vector_add.cu; end; } | gzip | head -c 150 >"$to/s001_$lab.tar.gz"
