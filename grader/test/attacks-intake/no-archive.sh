# expect: refused
head -c 100000 /dev/urandom >"$to/s001_$lab.tar.gz"
