# expect: refused
{ answer | entry "$(printf 'd/%.0s' $(seq 40))vector_add.cu"; end; } >"$to/s001_$lab.tar"
