# expect: refused
# The file that is handed in is a link to another.
{ entry $lab/vector_add.cu 2 "$canary" </dev/null; end; } >"$to/s001_$lab.tar"
