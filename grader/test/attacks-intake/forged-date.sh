# expect: taken
# Handed in long before the class began, says the archive.
{ answer | entry $lab/vector_add.cu 0 '' 1; end; } >"$to/s001_$lab.tar"
