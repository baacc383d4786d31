# expect: taken
# Folders and owner inside say that it is somebody else's; the receipt says whose it is.
{ answer | entry s002/$lab/vector_add.cu; printf 's002' | entry s002/$lab/student; end; } >"$to/s001_$lab.tar"
