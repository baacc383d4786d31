# expect: refused
# The header claims ten bytes; what follows would be read as the next header.
{ { answer; head -c 2000 /dev/zero | tr '\0' x; } | entry $lab/vector_add.cu 0 '' 0 10; end; } >"$to/s001_$lab.tar"
