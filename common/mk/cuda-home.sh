#!/bin/bash
# Print the toolkit's folder: $CUDA_HOME where it is set, else the one above nvcc, or, where a script of that name stands in the PATH, what nvcc
# itself says (toolchain.mk finds it the same way). Exit status 1 without a toolkit.
if [ -z "${CUDA_HOME:-}" ]; then
    nvcc=$(command -v nvcc) || exit 1
    CUDA_HOME=$(dirname "$(dirname "$(realpath "$nvcc")")")
    [ -f "$CUDA_HOME/include/cuda_runtime.h" ] || CUDA_HOME=$(realpath "$("$nvcc" --dryrun -x cu /dev/null 2>&1 | sed -n 's/^.. TOP=//p')") || exit 1
fi
echo "$CUDA_HOME"
