# expect: refused
# Which of them counts?
{ answer | entry $lab/vector_add.cu; echo '#error' | entry $lab/vector_add.cu; end; } >"$to/s001_$lab.tar"
