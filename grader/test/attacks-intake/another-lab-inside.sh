# expect: refused
# Its MANIFEST names another lab and another student.
{ answer | entry $lab/vector_add.cu; printf 'schema 1\nlab ../../s002\nstudent s002\n' | entry $lab/MANIFEST; end; } >"$to/s001_$lab.tar"
