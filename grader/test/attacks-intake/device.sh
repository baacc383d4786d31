# expect: refused
{ entry $lab/vector_add.cu 3 </dev/null; end; } >"$to/s001_$lab.tar"
