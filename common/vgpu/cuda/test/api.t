#!/bin/bash
# libcuda.so.1 exports every entry point that the toolkit's stub library has, and nothing else; api.def lists them all; driver_errors.def is
# the header's list; names resolve by version.
here=$(dirname "$0")
. "$here/../../cudart/test/tap.sh"
lib=$runtime/libcuda.so.1

nm -D --defined-only "$lib" | awk '$2 == "T" { print $3 }' | sort >"$scratch/ours"
sed -n 's/^X(\([A-Za-z0-9_]*\),.*/\1/p' "$KIT/common/vgpu/cuda/api.def" | sort >"$scratch/table"
diff "$scratch/table" "$scratch/ours" >"$scratch/diff"
ok $? "api.def and the exports are the same names" "$scratch/diff"
same "its name" "[libcuda.so.1]" "$(readelf -d "$lib" | sed -n 's/.*SONAME.*: \(\[.*\]\)/\1/p')"
readelf -d "$lib" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libcudart|libc|libm|libdl|libpthread|ld-linux-x86-64)\.so|^lib(asan|ubsan)\.so|^libgcc_s' >"$scratch/needed"
[ ! -s "$scratch/needed" ]
ok $? "it needs the runtime's library and the C library" "$scratch/needed"

release=$(nvcc --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')
stub=$CUDA_HOME/lib64/stubs/libcuda.so
if [ "$release" != 13.0 ] || [ ! -e "$stub" ]; then
    ok 0 "nothing is missing # SKIP no stub library of 13.0 in the toolkit"
    ok 0 "errors # SKIP the toolkit is not 13.0"
else
    nm -D --defined-only "$stub" | awk '$2 == "T" { print $3 }' | sort >"$scratch/stub"
    diff "$scratch/stub" "$scratch/ours" >"$scratch/diff"
    ok $? "the exports are those of the toolkit's stub library" "$scratch/diff"
    sed -n 's/^ *\(CUDA_SUCCESS\|CUDA_ERROR_[A-Z0-9_]*\) *= *\([0-9]*\).*/\1 \2/p' "$CUDA_HOME/include/cuda.h" | sort -u >"$scratch/header"
    sed -n 's/^X(\([A-Z0-9_]*\), \([0-9]*\),.*/\1 \2/p' "$KIT/common/cuda/include/kit/driver_errors.def" | sort >"$scratch/errors"
    diff "$scratch/header" "$scratch/errors" >"$scratch/diff"
    ok $? "driver_errors.def has the header's names and numbers" "$scratch/diff"
fi
finish
