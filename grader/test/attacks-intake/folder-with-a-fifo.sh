# expect: build-error
mkdir -p "$to/class/s001/$lab"
mkfifo "$to/class/s001/$lab/vector_add.cu"
