# expect: build-error
hand_in s001
truncate -s 8G "$to/class/s001/$lab/vector_add.cu"
