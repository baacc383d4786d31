# expect: build-error
mkdir -p "$to/class/s001/$lab"
ln -s "$canary" "$to/class/s001/$lab/vector_add.cu"
