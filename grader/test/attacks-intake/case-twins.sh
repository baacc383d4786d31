# expect: refused
# Names that differ only by case: on some file systems the later one would be written over the first, and which of them counts?
{ answer | entry $lab/vector_add.cu; echo '#error' | entry $lab/Vector_Add.CU; end; } >"$to/s001_$lab.tar"
