# expect: refused
{ answer | entry $lab/vector_add.cu; printf 'schema 1\nlab %s\n%064d  10  vector_add.cu\n' $lab 0 | entry $lab/MANIFEST; end; } >"$to/s001_$lab.tar"
