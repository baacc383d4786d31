#!/bin/bash
# The kit's NVRTC: what its functions return and give is what a toolkit's do, with each clang that is installed; what it compiles runs;
# nothing is left behind; neither the virtual GPU nor a descriptor of the program's reaches the compiler.
set -u
: "${BUILD:=build}" "${KIT:=$PWD}"
lib=$(realpath "$BUILD/lib/labcc") labcc=$(realpath "$BUILD/bin/labcc") vgpu=$(realpath "$BUILD/bin/vgpu") here=$(realpath "$(dirname "$0")")
include=$(realpath "$BUILD/include/cuda") cuda_home=$("$KIT/common/mk/cuda-home.sh" 2>/dev/null)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
n=0 bad=0

ok() {
    n=$((n + 1))
    if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else
        echo "not ok $n - $2"
        bad=1
        [ -z "${3:-}" ] || head -n 30 "$3" | sed 's/^/# /'
    fi
}

"$labcc" --version >version 2>err || { echo "1..0 # SKIP $(head -n 1 err)"; exit 0; }
mkdir tmp
export TMPDIR=$scratch/tmp
gcc -std=gnu11 -Wall -Werror -I"$include" -o calls "$here/calls.c" -L"$lib" -l:libnvrtc.so.13 >log 2>&1
ok $? "a program that calls it is compiled" log

# ---- beside a toolkit's ----

# Which comes first of several kernels is the compiler's choice.
lines() { # LIBRARY'S FOLDER
    LD_LIBRARY_PATH=$1 ./calls | awk '/^[^ ]/ { block++ } { print block ($1 == "entry" ? " entry " : " "), ($1 == "entry" ? $2 : sprintf("%05d%s", NR - shift, $0)) } $1 == "entry" { shift++ }' | sort
}
if [ -n "$cuda_home" ] && [ -e "$cuda_home/lib64/libnvrtc.so.13" ]; then
    lines "$cuda_home/lib64" >theirs
    ok "$([ "$(wc -l <theirs)" -gt 200 ]; echo $?)" "the toolkit's NVRTC answers ($(wc -l <theirs) lines)"
    for major in $(seq 14 30); do
        clang=$(command -v "clang++-$major") || continue
        LABCC_CLANG=$clang lines "$lib" >ours 2>err
        diff theirs ours >difference
        ok $? "with clang $major the same is returned and given" difference
    done
else
    echo "ok $((++n)) # SKIP no NVRTC of a toolkit to compare with"
fi

# ---- a program that compiles and runs ----

cat >runs.cu <<'END'
#include <cuda.h>
#include <nvrtc.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(call) do { int r_ = (call); if (r_ != 0) { printf("%s: %d\n", #call, r_); return 1; } } while (0)
static const char source[] = R"(
template <int N> __global__ void add(int *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] += N * i; }
__device__ int scale;
extern "C" __global__ void times(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= scale; })";
int main(int n_arguments, char **)
{
    nvrtcProgram p;
    const char *add, *scale, *options[] = {n_arguments > 1 ? "-arch=sm_75" : "-arch=compute_75"};
    size_t bytes;
    CHECK(nvrtcCreateProgram(&p, source, "runs.cu", 0, NULL, NULL));
    CHECK(nvrtcAddNameExpression(p, "add<5>"));
    CHECK(nvrtcAddNameExpression(p, "&scale"));
    CHECK(nvrtcCompileProgram(p, 1, options));
    CHECK(n_arguments > 1 ? nvrtcGetCUBINSize(p, &bytes) : nvrtcGetPTXSize(p, &bytes));
    std::vector<char> image(bytes);
    CHECK(n_arguments > 1 ? nvrtcGetCUBIN(p, image.data()) : nvrtcGetPTX(p, image.data()));
    CHECK(nvrtcGetLoweredName(p, "add<5>", &add));
    CHECK(nvrtcGetLoweredName(p, "&scale", &scale));
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction adds, times;
    CUdeviceptr at, x;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, image.data()));
    CHECK(cuModuleGetFunction(&adds, module, add));
    CHECK(cuModuleGetFunction(&times, module, "times"));
    CHECK(cuModuleGetGlobal(&at, &bytes, module, scale));
    int seven = 7, out[64];
    CHECK(cuMemcpyHtoD(at, &seven, sizeof seven));
    CHECK(cuMemAlloc(&x, sizeof out));
    CHECK(cuMemsetD32(x, 1, 64));
    void *arguments[] = {&x};
    CHECK(cuLaunchKernel(adds, 2, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuLaunchKernel(times, 2, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH(out, x, sizeof out));
    for (int i = 0; i < 64; i++)
        if (out[i] != 7 * (1 + 5 * i)) {
            printf("%d: %d\n", i, out[i]);
            return 1;
        }
    CHECK(cuMemFree(x));
    CHECK(cuModuleUnload(module));
    CHECK(nvrtcDestroyProgram(&p));
    puts("right");
    return 0;
}
END
"$labcc" -o runs runs.cu -lnvrtc -lcuda >log 2>&1
ok $? "labcc links it by -lnvrtc" log
"$vgpu" ./runs >log 2>&1 && grep -qx right log
ok $? "PTX, a template's name and a variable's: right" log
"$vgpu" ./runs cubin >log 2>&1 && grep -qx right log
ok $? "what it gives as a cubin: right" log
[ -z "$(ls -A tmp)" ]
ok $? "no file is left"

# ---- what the compiler sees ----

mkdir -p fake/bin fake/lib/labcc
cp "$lib/libnvrtc.so.13" fake/lib/labcc/
printf '#!/bin/sh\nenv | cut -d= -f1 | sort | tr "\\n" " " >"%s/seen"\nls /proc/self/fd | tr "\\n" " " >>"%s/seen"\nexit 2\n' "$scratch" "$scratch" >fake/bin/labcc
chmod +x fake/bin/labcc
(exec 7</dev/null; SECRET=1 LD_PRELOAD="" LD_LIBRARY_PATH=$scratch/fake/lib/labcc timeout 60 ./calls >answers)
tr ' ' '\n' <seen | grep -vxE 'PATH|TMPDIR|LC_ALL|LABCC_CLANG|PWD|OLDPWD|SHLVL|_|0|1|2|3' | grep . >more
ok "$([ -s more ]; echo $((1 - $?)))" "the compiler has neither the program's environment nor its descriptors" seen
grep -q 'compile NVRTC_ERROR_INTERNAL_ERROR' answers
ok $? "a compiler that cannot work is an internal error" answers
rm fake/bin/labcc
LD_LIBRARY_PATH=$scratch/fake/lib/labcc timeout 60 ./calls >answers
grep -q 'compile NVRTC_ERROR_INTERNAL_ERROR' answers
ok $? "and so is one that is not there" answers
echo "1..$n"
exit $bad
