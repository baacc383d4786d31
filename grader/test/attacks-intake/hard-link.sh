# expect: refused
{ entry $lab/vector_add.cu 1 "$canary" </dev/null; end; } >"$to/s001_$lab.tar"
