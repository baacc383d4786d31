#!/bin/bash
# The library exports every entry point of the real runtime, at its version, and nothing else; api.def lists them all; it needs only
# the C library; what it refuses and accepts does as api.def says.
here=$(dirname "$0")
. "$here/tap.sh"
lib=$runtime/libcudart.so.13

# What the driver API's library needs, and what stands in front of NVRTC's, have versions of their own.
nm -D --defined-only "$lib" | awk '$2 == "T" { print $3 }' | grep -v '^vgpu_.*@@VGPU_PRIVATE$' >"$scratch/all"
same "of NVRTC's it has two" "nvrtcGetCUBIN nvrtcGetCUBINSize" "$(sed -n 's/^\(nvrtc.*\)@@libnvrtc.so.13$/\1/p' "$scratch/all" | sort | xargs)"
grep -v '^nvrtc.*@@libnvrtc.so.13$' "$scratch/all" >"$scratch/exports"
sed 's/@@.*//' "$scratch/exports" | sort >"$scratch/ours"
sed -n 's/^X(\([A-Za-z0-9_]*\),.*/\1/p' "$KIT/common/vgpu/cudart/api.def" | sort >"$scratch/table"
diff "$scratch/table" "$scratch/ours" >"$scratch/diff"
ok $? "api.def and the exports are the same names" "$scratch/diff"

real=$CUDA_HOME/lib64/libcudart.so.13
if [ -e "$real" ] && nm -D --defined-only "$real" >"$scratch/nm" 2>/dev/null; then
    awk '$2 == "T" { print $3 }' "$scratch/nm" | sed 's/@@.*//' | sort >"$scratch/real"
    comm -23 "$scratch/real" "$scratch/ours" >"$scratch/missing"
    if grep -q 'Build.*13\.0' <(nvcc --version | tail -1 | sed 's/cuda_/Build 1/') || nvcc --version | grep -q 'release 13.0'; then
        [ ! -s "$scratch/missing" ]
        ok $? "nothing that the real runtime 13.0 exports is missing" "$scratch/missing"
    else
        ok 0 "nothing is missing # SKIP the installed runtime is newer than 13.0"
    fi
else
    ok 0 "nothing is missing # SKIP no shared runtime in the toolkit"
fi

grep -vq '@@libcudart.so.13$' "$scratch/exports"
[ $? -ne 0 ]
ok $? "all of them have the version libcudart.so.13"
same "its name" "[libcudart.so.13]" "$(readelf -d "$lib" | sed -n 's/.*SONAME.*: \(\[.*\]\)/\1/p')"
readelf -d "$lib" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libm|libdl|libpthread|ld-linux-x86-64)\.so|^lib(asan|ubsan)\.so|^libgcc_s' >"$scratch/needed"
[ ! -s "$scratch/needed" ]
ok $? "it needs only the C library" "$scratch/needed"

# What the header declares is what the page of supported functions lists, but for its own inline functions.
include=$(dirname "$real")/../include
[ -e "$include/cuda_runtime_api.h" ] || include=$(dirname "$real")/../targets/x86_64-linux/include
gcc -E -P -I "$include" -include cuda_runtime_api.h -xc /dev/null 2>/dev/null | tr '\n' ' ' | tr ';' '\n' |
    grep -o '^ *extern [^(]*cudaError_t *\(\)*cuda[A-Z][A-Za-z0-9_]*(' | sed 's/.*\(cuda[A-Za-z0-9_]*\)($/\1/' | sort -u >"$scratch/declared"
sed -n 's/^| `\(cuda[A-Za-z0-9]*\)` |.*/\1/p' "$KIT/docs/api-support.md" | sort -u >"$scratch/listed"
comm -23 "$scratch/declared" "$scratch/listed" | grep -v '_v2$' >"$scratch/unlisted"
[ "$(wc -l <"$scratch/declared")" -gt 250 ] && [ ! -s "$scratch/unlisted" ]
ok $? "all $(wc -l <"$scratch/declared") functions that the header declares stand in docs/api-support.md" "$scratch/unlisted"

cat >"$scratch/texts.cu" <<'END'
#include <cuda_runtime.h>
#include <stdio.h>
int main()
{
    for (int e = -1; e < 1100; e++)
        printf("%d %s %s\n", e, cudaGetErrorName((cudaError_t)e), cudaGetErrorString((cudaError_t)e));
    return 0;
}
END
if build_cu texts "$scratch/texts.cu" && [ -e "$real" ]; then
    LD_LIBRARY_PATH=$(dirname "$real") "$scratch/texts" >"$scratch/theirs"
    direct "$scratch/texts" >"$scratch/mine"
    if nvcc --version | grep -q 'release 13.0'; then
        diff "$scratch/theirs" "$scratch/mine" >"$scratch/diff"
        ok $? "names and texts of errors are those of the real runtime" "$scratch/diff"
    else
        ok 0 "names and texts of errors # SKIP the installed runtime is newer than 13.0"
    fi
fi
finish
