# expect: refused
# A hundred thousand files.
{ answer | entry $lab/vector_add.cu; entry $lab/x </dev/null | perl -e 'local $/; my $e = <STDIN>; print $e for 1 .. 100000'; end; } | gzip >"$to/s001_$lab.tar.gz"
