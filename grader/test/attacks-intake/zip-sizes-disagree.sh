# expect: refused
# A zip whose table claims two gigabytes for what its entry says has ten bytes.
perl -e '
    binmode STDOUT; my ($name, $data) = ("02-vector-add/vector_add.cu", "0123456789");
    my $local = pack("VvvvvvVVVvv", 0x04034b50, 20, 0, 0, 0, 0, 0x1234, 10, 10, length $name, 0) . $name . $data;
    my $table = pack("VvvvvvvVVVvvvvvVV", 0x02014b50, 20, 20, 0, 0, 0, 0, 0x1234, 0x7fffffff, 0x7fffffff, length $name, 0, 0, 0, 0, 0, 0) . $name;
    print $local, $table, pack("VvvvvVVv", 0x06054b50, 0, 0, 1, 1, length $table, length $local, 0);' >"$to/s001_$lab.zip"
