# expect: build-error
# A second name for somebody else's work.
hand_in s002
mkdir -p "$to/class/s001/$lab"
ln "$to/class/s002/$lab/vector_add.cu" "$to/class/s001/$lab/vector_add.cu"
