# expect: build-error
# A folder in the place of a file, as devices need root: nothing of the kind is opened.
mkdir -p "$to/class/s001/$lab/vector_add.cu"
mknod "$to/class/s001/$lab/vector_add.cu/zero" c 1 5 2>/dev/null || true
