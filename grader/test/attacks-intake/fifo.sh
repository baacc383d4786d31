# expect: refused
# Who reads it waits for ever.
{ entry $lab/vector_add.cu 6 </dev/null; end; } >"$to/s001_$lab.tar"
