# Copies of the kit for tests. Source it.
#
#   make_kit_copy DIR LAB     what grading one lab needs, in DIR; sets `grade`
#   make_quick_kit DIR LAB    the same with g++ for a compiler, which takes plain C++ only, so that a submission takes a tenth
#                             of a second: for tests of the book-keeping of classes; sets CUDA_HOME too
#   copy_compiler DIR         labcc and its headers into a kit, where there is no nvcc
#   make_lean_toolkit DIR     the toolkit with an nvcc that has half as much to parse (lean/nvcc), in DIR; sets CUDA_HOME
#   hand_in_sum FILE EXPRESSION    writes a submission to 02-vector-add that works c[i] out on the CPU

make_kit_copy() {
    local kit=$1 lab=$2
    mkdir -p "$kit"/{labs,common,solutions/$lab,build/bin,build/lib/vgpu,build/labs/$lab}
    cp -r labs/$lab "$kit/labs/"
    cp -r common/lab "$kit/common/"
    cp "$BUILD"/bin/{grade,vgpu,grade-runner} "$kit/build/bin/"
    cp "$BUILD/lib/liblab.a" "$kit/build/lib/"
    cp "$BUILD"/lib/vgpu/lib*.so.* "$kit/build/lib/vgpu/"
    cp "$BUILD/labs/$lab"/{driver.o,judge} "$kit/build/labs/$lab/"
    copy_compiler "$kit"
    grade=$kit/build/bin/grade
}

copy_compiler() {
    command -v nvcc >/dev/null && return
    cp "$BUILD/bin/labcc" "$1/build/bin/"
    cp -r "$BUILD/include" "$1/build/"
    cp -r "$BUILD/lib/labcc" "$1/build/lib/"
}

make_quick_kit() {
    local kit=$1 lab=$2
    make_kit_copy "$kit" $lab
    mkdir -p "$kit"/toolkit/{bin,lib64}
    cp "$BUILD/lib/vgpu/libcudart.so.13" "$kit/toolkit/lib64/libcudart.so"
    cat >"$kit/toolkit/bin/nvcc" <<'END2'
#!/bin/sh
[ "$1" != --version ] || { echo "a stand-in, release 0.0"; exit 0; }
headers=
while [ $# -gt 0 ]; do
    case $1 in
    -I) headers="$headers -I $2"; shift ;;
    -c) source=$2; shift ;;
    -o) object=$2; shift ;;
    esac
    shift
done
exec /usr/bin/g++ -x c++ -O0 $headers -c "$source" -o "$object"
END2
    chmod +x "$kit/toolkit/bin/nvcc"
    export CUDA_HOME=$kit/toolkit
}

make_lean_toolkit() {
    local home entry
    home=$(common/mk/cuda-home.sh) && home=$(realpath "$home") || return 0
    [[ $home = /usr/* ]] || return 0 # else a sandbox that shows DIR does not show the true one
    mkdir -p "$1/bin"
    for entry in "$home"/*; do [ "$entry" = "$home/bin" ] || ln -s "$entry" "$1"; done
    cp grader/test/lean/cuda_runtime.h "$1/bin"
    sed "s,TOOLKIT,$home," grader/test/lean/nvcc >"$1/bin/nvcc"
    chmod +x "$1/bin/nvcc"
    export CUDA_HOME=$1
}

hand_in_sum() {
    mkdir -p "$(dirname "$1")"
    cat >"$1" <<END2
#include "vector_add.h"
int vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = $2;
    return 0;
}
END2
}
