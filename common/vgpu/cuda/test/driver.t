#!/bin/bash
# Programs of the driver API under the command: each call's behaviour, both APIs together, NVRTC, images in files, findings, and every
# call that can fail made to fail in turn.
here=$(dirname "$0")
. "$here/../../cudart/test/tap.sh"

# build_cpp NAME SOURCE LIBRARIES: as docs/vgpu.md says
build_cpp() {
    local name=$1 source=$2
    shift 2
    g++ -g -Wall -pthread -I "$CUDA_HOME/include" -o "$scratch/$name" "$source" -L "$CUDA_HOME/lib64" -L "$CUDA_HOME/lib64/stubs" "$@" >"$scratch/$name.log" 2>&1
    ok $? "g++ builds $name" "$scratch/$name.log"
}

# kinds: the kinds of the report's findings that are no advice, in order
kinds() {
    jq -r '[.findings[] | select(.advice | not) | .kind] | join(" ")' "$scratch/report.json"
}

run() { # NAME PROGRAM [arguments]: exits 0, no "not ok"
    local name=$1
    shift
    "$vgpu" --quiet --devices=2 --error-exitcode=0 --report="$scratch/report.json" "$@" >"$scratch/out" 2>"$scratch/err"
    local status=$?
    ! grep -q '^not ok' "$scratch/out" && [ $status -eq 0 ]
    ok $? "$name" "$scratch/out"
}

# ---- call by call ----
build_cpp driver "$here/driver.cpp" -lcuda
run "$(grep -c 'GOOD\|FAILS\|same' "$here/driver.cpp") calls and more behave as documented" "$scratch/driver"
same "the program checked them all" "1..$(grep -c '^ok' "$scratch/out")" "$(tail -n 1 "$scratch/out")"
same "the planted wrong free is the only finding" "invalid-free" "$(kinds)"
same "calls go by the driver's names" "cuDeviceGetCount CUDA_ERROR_NOT_INITIALIZED 3" \
    "$(jq -r '.errors[0] | "\(.call) \(.error) \(.code)"' "$scratch/report.json")"
run "a fault stays" "$scratch/driver" fault
same "it is found" "null-pointer" "$(kinds)"
has "with the line of its launch" "$scratch/report.json" "driver.cpp\",\"line\":$(grep -n 'cuLaunchKernel(add' "$here/driver.cpp" | tail -n 2 | head -n 1 | cut -d: -f1)"

for case in no-access:out-of-bounds unmapped:use-after-free stays:leak untouched:uninitialized,leak; do
    run "mapped memory: ${case%:*}" "$scratch/driver" "${case%:*}"
    same "is found" "${case#*:}" "$(kinds | tr ' ' ,)"
done

# ---- both APIs ----
build_cu mixed -lineinfo -g "$here/mixed.cu" -lcuda
run "both APIs share device, memory and streams" "$scratch/mixed"
same "each error is recorded once, by the name of its call" "cuMemAlloc_v2 cudaLibraryGetKernel" \
    "$(jq -r '[.errors[].call] | join(" ")' "$scratch/report.json")"
same "two devices too" 1 "$(grep -c "cuCtxCreate sets the runtime" "$scratch/out")"
same "no findings" "" "$(kinds)"

# ---- NVRTC ----
build_cpp nvrtc "$here/nvrtc.cpp" -lnvrtc -lcuda
export LD_LIBRARY_PATH=$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
expected=$'NVRTC_ERROR_COMPILATION: the log names line 3: yes\nx[1] = 3.5, x[999] = 2997.5, offset has 4 bytes'
run "a program that compiles its kernels" "$scratch/nvrtc"
same "it computes" "$expected" "$(cat "$scratch/out")"
same "no findings" "" "$(kinds)"
same "no call of its failed" 0 "$(jq ".errors | length" "$scratch/report.json")"
for option in --gpu-architecture=sm_75 -arch=sm_75; do
    run "compiled to a cubin ($option)" "$scratch/nvrtc" "cubin$option"
    same "it computes" "$expected" "$(cat "$scratch/out")"
done
run "a cubin in a file" "$scratch/nvrtc" cubin-arch=sm_75 "$scratch/file.cubin"
same "it computes" "$expected" "$(cat "$scratch/out")"
"$vgpu" --quiet "$scratch/nvrtc" cubin-arch=sm_90 >"$scratch/out" 2>"$scratch/err"
has "is not for this one" "$scratch/out" 'cuModuleLoadData.* gives 209'
"$vgpu" --quiet --device=h100 "$scratch/nvrtc" cubin-arch=sm_90 >"$scratch/out" 2>"$scratch/err"
same "on such a card it computes" "$expected" "$(cat "$scratch/out")"
run "its bug" "$scratch/nvrtc" bug
same "is found" "out-of-bounds" "$(kinds)"
same "at the line of the source in memory" "scale.cu:12 shift" \
    "$(jq -r '.findings[0] | "\(.file | sub(".*/"; "")):\(.line) \(.kernel)"' "$scratch/report.json")"
run "its leak" "$scratch/nvrtc" leak
same "is found" "module-leak leak" "$(jq -r '.findings[0] | "\(.kind) \(.verdict)"' "$scratch/report.json")"
same "at the line that loaded the module" "$(grep -n 'cuModuleLoadData' "$here/nvrtc.cpp" | cut -d: -f1)" \
    "$(jq -r '.findings[0].site.line' "$scratch/report.json")"

# ---- arguments by value: the program ends as on hardware, but the reason is told ----
cat >"$scratch/value.cpp" <<'END'
#include <cuda.h>
static const char ptx[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                          ".visible .entry k(.param .u64 p, .param .u32 n)\n{ ret; }\n";
int main(int argc, char **)
{
    CUcontext context;
    CUmodule module;
    CUfunction k;
    CUdeviceptr p;
    int n = 10;
    cuInit(0);
    cuCtxCreate(&context, NULL, 0, 0);
    cuModuleLoadData(&module, ptx);
    cuModuleGetFunction(&k, module, "k");
    cuMemAlloc(&p, 400);
    void *params[] = {argc > 1 ? (void *)p : &p, argc > 1 ? &n : (void *)(size_t)n};
    cuLaunchKernel(k, 1, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
    return 0;
}
END
build_cpp value "$scratch/value.cpp" -lcuda
for case in "1:a small number:" "0:a device pointer:pointer"; do
    IFS=: read -r index what argument <<<"$case"
    "$vgpu" "$scratch/value" $argument >"$scratch/out" 2>"$scratch/err"
    same "$what for an argument ends the program" 139 $?
    has "and the reason is told" "$scratch/err" "value.cpp:17: advice: api-misuse: kernelParams\[$index\] is $what"
done

# ---- images in files ----
cat >"$scratch/kernel.cu" <<'END'
extern "C" __global__ void answer(int *x)
{
    *x = 42;
}
END
cat >"$scratch/load.cpp" <<'END'
#include <cuda.h>
#include <stdio.h>
int main(int, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction f;
    CUdeviceptr p;
    int value = 0;
    cuInit(0);
    cuInit(0); /* as libraries do for themselves */
    cuDeviceGet(&device, 0);
    cuCtxCreate(&context, NULL, 0, device);
    CUresult result = cuModuleLoad(&module, argv[1]);
    if (result == CUDA_SUCCESS) {
        cuModuleGetFunction(&f, module, "answer");
        cuMemAlloc(&p, 4);
        void *params[] = {&p};
        cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
        cuMemcpyDtoH(&value, p, 4);
        cuMemFree(p);
        cuModuleUnload(module);
    }
    cuCtxDestroy(context);
    printf("%d %d\n", result, value);
    return 0;
}
END
build_cpp load "$scratch/load.cpp" -lcuda
load() { # NAME FILE EXPECTED
    "$vgpu" --quiet --error-exitcode=0 "$scratch/load" "$2" >"$scratch/out" 2>"$scratch/err"
    same "$1" "$3" "$(cat "$scratch/out")"
}
cd "$scratch" || exit 1
nvcc -ptx -arch=compute_75 -o k.ptx kernel.cu && load "PTX in a file" k.ptx "0 42"
for mode in none size speed; do
    nvcc -fatbin -arch=compute_75 --compress-mode=$mode -o k.fatbin kernel.cu && load "a fat binary compressed for $mode" k.fatbin "0 42"
done
nvcc -fatbin -gencode arch=compute_75,code=sm_75 -o m.fatbin kernel.cu && load "machine code in a fat binary is refused" m.fatbin "209 0"
has "and the cure is told" err 'build it with nvcc -arch=compute_75'
nvcc -cubin -arch=sm_75 -o k.cubin kernel.cu && load "a cubin is refused" k.cubin "209 0"
has "and the cure is told" err 'build it with nvcc -arch=compute_75'
nvcc -ptx -arch=compute_90 -o k90.ptx kernel.cu && load "PTX for a newer device" k90.ptx "209 0"
has "it says why" err '\.target sm_90 is newer than this device'

# ---- odd images: an error, never a crash ----
printf '' >empty.ptx
load "an empty file" empty.ptx "200 0"
printf '\x50\xed\x55\xba\x01\x00\x10\x00\xff\xff\xff\xff\xff\xff\xff\x7f' >bad.fatbin
load "a fat binary that claims too much" bad.fatbin "200 0"
printf 'VGPULINK\xff\xff\x00\x00\x00\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00' >bad.link
load "a linked image that claims too much" bad.link "200 0"
bad=0
for cut in $(seq 5 23 "$(stat -c %s k.ptx)"); do
    head -c "$cut" k.ptx >cut.ptx
    "$vgpu" --quiet --error-exitcode=0 "$scratch/load" cut.ptx >out 2>err || bad=1
done
ok $bad "PTX cut anywhere" err

# ---- every call that can fail, made to fail ----
bad=0
for at in $(seq 1 4 90); do
    "$vgpu" --quiet --error-exitcode=0 --fail-at="$at" "$scratch/driver" >out 2>err
    status=$?
    [ $status -le 1 ] || { bad=1; echo "$at: $status" >>"$scratch/failed"; }
done
ok $bad "the program of all calls survives failures of each" "$scratch/failed"
waits=$(for at in $(seq 16); do "$vgpu" --quiet --error-exitcode=0 --fail-at="$at" "$scratch/driver" waits 2>err | grep Synchronize; done | sort)
same "each wait for work fails in its turn, once, with its work done and no error that stays" "$(printf '%s 719 7\n' cuCtxSynchronize cuEventSynchronize cuStreamSynchronize)" "$waits"
"$vgpu" --quiet --error-exitcode=0 --fail-at=2 --report=report.json "$scratch/load" k.ptx >out 2>err
same "the second call that can fail did, and cuInit can once" "cuCtxCreate_v4 CUDA_ERROR_OUT_OF_MEMORY" "$(jq -r '.errors[0] | "\(.call) \(.error)"' report.json)"
cd / || exit 1
finish
