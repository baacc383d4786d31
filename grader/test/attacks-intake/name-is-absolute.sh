# expect: refused
{ answer | entry "$canary"; answer | entry vector_add.cu; end; } >"$to/s001_$lab.tar"
