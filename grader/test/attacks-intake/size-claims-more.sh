# expect: refused
# The header claims a gigabyte, and the archive ends.
answer | entry $lab/vector_add.cu 0 '' 0 1073741824 >"$to/s001_$lab.tar"
