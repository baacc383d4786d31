# expect: refused
# A link for a folder, then a file that would be written through it.
{ entry $lab 2 "$(dirname "$canary")" </dev/null; answer | entry $lab/vector_add.cu; end; } >"$to/s001_$lab.tar"
