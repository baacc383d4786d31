#!/bin/bash
# Textures, surfaces and arrays: textures.cu holds on the virtual GPU as on a real one (whose lines stand in textures-h200.txt), with both
# kinds of default stream and optimised or debug code; wrong uses are found, with the error of hardware; reads are counted.
here=$(dirname "$0")
. "$here/tap.sh"

run_one() { # NAME nvcc-options
    local name=$1
    shift
    build_cu "$name" -std=c++17 -lineinfo -g "$@" "$here/textures.cu" || return
    "$vgpu" --quiet --report="$scratch/$name.json" "$scratch/$name" >"$scratch/$name.out" 2>"$scratch/$name.err"
    ok $? "$name: exits 0" "$scratch/$name.err"
    diff "$here/textures-h200.txt" "$scratch/$name.out" >"$scratch/$name.diff"
    ok $? "$name: the lines of a real GPU" "$scratch/$name.diff"
    same "$name: no findings" 0 "$(jq '[.findings[] | select(.advice | not)] | length' "$scratch/$name.json")"
}
run_one plain
run_one debug -G --default-stream per-thread

build_cu faults -lineinfo -g "$here/texture_faults.cu" || finish
# fault CASE ERROR KIND: the program prints the error, and that is found, and nothing else
fault() {
    "$vgpu" --quiet --report="$scratch/report.json" "$scratch/faults" "$1" >"$scratch/out" 2>"$scratch/err"
    same "$1: the error of hardware" "$2" "$(head -n 1 "$scratch/out")"
    same "$1: found" "$3" "$(jq -r '[.findings[] | select(.advice | not) | .kind] | unique | join(",")' "$scratch/report.json")"
}
fault nothing cudaSuccess ""
fault destroyed_late cudaSuccess ""
fault row_end cudaErrorIllegalAddress surface-bounds
fault row_start cudaErrorIllegalAddress surface-bounds
fault rows cudaErrorIllegalAddress surface-bounds
fault misaligned cudaErrorMisalignedAddress misaligned
fault unknown cudaErrorIllegalAddress bad-texture
fault null cudaSuccess bad-texture
fault shape cudaSuccess bad-texture
fault destroyed cudaSuccess bad-texture
fault destroyed_surface cudaSuccess bad-texture
fault freed_array cudaErrorIllegalAddress use-after-free
fault freed_memory cudaErrorIllegalAddress use-after-free
fault past_memory cudaErrorIllegalAddress out-of-bounds
fault unwritten cudaSuccess uninitialized
fault leak cudaSuccess leak

cat >"$scratch/count.cu" <<'END'
__global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s)
{
    float v = tex2D<float>(t, threadIdx.x + 1.0f, 0.5f);
    surf2Dwrite(v, s, threadIdx.x * 4, 0);
}
int main()
{
    float *p;
    cudaArray_t a;
    cudaTextureObject_t t;
    cudaSurfaceObject_t s;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = 64;
    r.res.pitch2D.height = 4;
    r.res.pitch2D.pitchInBytes = 512;
    d.filterMode = cudaFilterModeLinear;
    cudaCreateTextureObject(&t, &r, &d, NULL);
    cudaMallocArray(&a, &r.res.pitch2D.desc, 64, 4, cudaArraySurfaceLoadStore);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaCreateSurfaceObject(&s, &r);
    k<<<1, 32>>>(t, s);
    cudaDeviceSynchronize();
    cudaFree(p);
    cudaFreeArray(a);
}
END
build_cu count "$scratch/count.cu" && "$vgpu" --quiet --report="$scratch/report.json" "$scratch/count" 2>"$scratch/err"
# Two texels of 32 lanes in a row, 4 bytes each: 4 sectors and 5, of one request; the second finds 3 (and the first of 5) in the cache.
same "requests and sectors of textures and surfaces" "1 9 1 4 0" \
    "$(jq -r '.totals | "\(.texture_requests) \(.texture_sectors) \(.surface_requests) \(.surface_sectors) \(.global_load_requests)"' "$scratch/report.json")"
finish
