#!/bin/bash
# labcc: nvcc's options become clang's; what it makes runs on the virtual GPU, with the lines and names that nvcc's programs have;
# relocatable code of several files is linked; targets and options that it does not have are refused by name.
set -u
: "${BUILD:=build}" "${KIT:=$PWD}"
labcc=$(realpath "$BUILD/bin/labcc") vgpu=$(realpath "$BUILD/bin/vgpu")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
export TMPDIR=$scratch
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
grep -Eq '^labcc, with clang [0-9]+\.[0-9.]+$' version
ok $? "it says its clang's version" version

# ---- options: OPTIONS => words that one of the commands has; or ! and what it says ----

touch one.cu two.cu plain.cpp c.c object.o
table() {
    cat <<'END'
-c one.cu => --cuda-device-only -S -w --cuda-gpu-arch=sm_75
-c one.cu => -O3 -o
-c one.cu => -c -o one.o
-c one.cu => -std=c++17
-c one.cu -o other.o => -c -o other.o
-arch=compute_80 -c one.cu => --cuda-gpu-arch=sm_80
--gpu-architecture compute_80 -c one.cu => --cuda-gpu-arch=sm_80
-gencode arch=compute_86,code=sm_86 -c one.cu => --cuda-gpu-arch=sm_86
-gencode=arch=compute_80,code=[compute_80,sm_80] -c one.cu => --cuda-gpu-arch=sm_80
-arch native -c one.cu => --cuda-gpu-arch=sm_75
-O2 -c one.cu => -O2
-O -c one.cu => -O2
-g -c one.cu => --cuda-host-only -g -Xclang -fcuda-include-gpubinary -Xclang TMP/0.fatbin -c
-lineinfo -c one.cu => -gline-tables-only
-G -c one.cu => -O0 -g -fno-standalone-debug -o TMP/1.ptx
-G -lineinfo -c one.cu => -O0 -g -fno-standalone-debug -o TMP/1.ptx
-std=c++20 -c one.cu => -std=c++20
--std c++14 -c one.cu => -std=c++14
-Ifolder -c one.cu => -I folder
-I folder --include-path=more -c one.cu => -I folder -I more
-DA=1 -D B -UC -c one.cu => -DA=1 -DB -UC
-Xcompiler -Wall,-fPIC -c one.cu => -Wall -fPIC
-Xcompiler=-Wextra -c one.cu => -Wextra
-Werror all-warnings -c one.cu => -Werror
-w -c one.cu => -w
-MD -MF one.d -MT x -MP -c one.cu => -MD -MF one.d -MT x -MP
-M one.cu => -M
-MM one.cu => -MM
-E one.cu => -E
-use_fast_math -c one.cu => -ffast-math
-ftz=true -c one.cu => -fgpu-flush-denormals-to-zero
-ptx -line-messages one.cu => -fdiagnostics-format=msvc -fno-show-column
-default-device -c one.cu => -include CUDA/kit/default_device.h one.cu
-ptx -no-header-path one.cu => -S --cuda-gpu-arch=sm_75
--fmad=false -c one.cu => -ffp-contract=off
-rdc=true -c one.cu => -fgpu-rdc
-dc one.cu => -fgpu-rdc
--expt-relaxed-constexpr --extended-lambda -c one.cu => --cuda-host-only
-ptx one.cu => -o one.ptx
-x cu -c plain.cpp => --cuda-device-only
-c plain.cpp => -x c++ -std=c++17
-c c.c => -x c
object.o -o program => clang -o program object.o
object.o -Lfolder -lfoo => -Lfolder -lfoo
object.o -Xlinker -rpath,/x => -Xlinker -rpath -Xlinker /x
object.o -Xcompiler -fopenmp => -fopenmp
-cudart shared object.o => -l:libcudart.so.13
-shared object.o => -shared
one.cu two.cu => TMP/1.o TMP/4.o
-arch=sm_90a -c one.cu ! sm_90a: code for one chip alone
-arch=sm_100f -c one.cu ! sm_100f: code for one chip alone
-arch=sm_70 -c one.cu ! compute_75 is the oldest target
-arch=all -c one.cu ! knows no target 'all'
-gencode code=sm_80 -c one.cu ! arch=compute_75,code=sm_75, for example
-cubin one.cu ! does not know the option -cubin
-run one.cu ! does not know the option -run
-std ! -std needs an argument
-rdc=yes one.cu ! true or false
-cudart static one.cu ! the shared runtime alone
-m32 one.cu ! programs are of 64 bits
-x f77 one.cu ! cu, c++ or c
-c -o x one.cu two.cu ! -o names one file
-o x ! no input files
-c object.o ! neither CUDA, C nor C++ by its name
one.txt ! no source, object or library by its name
END
}
while IFS= read -r row; do
    case $row in
    *' => '*) options=${row% => *} wanted=${row#* => } ;;
    *) options=${row% ! *} wanted=${row#* ! } ;;
    esac
    # shellcheck disable=SC2086 # the options are words
    "$labcc" --dryrun $options >out 2>&1
    status=$?
    sed -i "s,$scratch/labcc-[A-Za-z0-9]*,TMP,g; s,[^ ]*/include/cuda,CUDA,g; s,^[^ ]*/clang++[-0-9]* ,clang ," out
    case $row in
    *' => '*) [ $status -eq 0 ] && grep -qF -- " $wanted " <(sed 's/^/ /; s/$/ /' out) ;;
    *) [ $status -ne 0 ] && grep -qF -- "$wanted" out ;;
    esac
    ok $? "$row" out
done < <(table)

# What only this clang's driver knows whether it knows.
echo '__device__ float f(float x) { return sinf(x) / 3 + x * x; }' >fast.cu
"$labcc" -ptx -use_fast_math -fmad=false -ftz=true -line-messages fast.cu -o fast.ptx >out 2>&1 && grep -q 'mul[a-z.]*\.ftz\.f32' fast.ptx
ok $? "fast math and flushed subnormals reach the PTX" out

# Every option of the table stands in the rows above, or is one that changes nothing.
sed -n 's/^OPTION("[^"]*", "\([^"]*\)", [A-Z]*, \([A-Z_]*\),.*/\2 \1/p' "$KIT/common/cuda/driver/options.def" |
    grep -v '^IGNORED \|^CODE \|^HELP \|^PRECOMPILE \|^VERSION \|^VERBOSE \|^DRY_RUN ' >actions
: >untested
while read -r _ brief; do
    table | grep -qE -- "(^| )--?($brief|$(sed -n "s/^OPTION(\"\([^\"]*\)\", \"$brief\",.*/\1/p" "$KIT/common/cuda/driver/options.def"))" || echo "$brief" >>untested
done <actions
grep -vx -e fatbin -e dlink -e isystem -e include -e MMD untested >missing
[ ! -s missing ]
ok $? "every option has a row" missing

# ---- programs ----

cat >oob.cu <<'END'
#include <cstdio>
__global__ void scale(float *a, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] *= by;
}
int main()
{
    float *a;
    cudaMalloc(&a, 1000 * sizeof *a);
    cudaMemset(a, 0, 1000 * sizeof *a);
    scale<<<4, 256>>>(a, 2.0f);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
END
"$labcc" -arch=compute_75 -lineinfo -g -o oob oob.cu >log 2>&1
ok $? "a program is compiled and linked" log
"$vgpu" ./oob >out 2>&1
grep -q '^oob.cu:5:.*out-of-bounds: read of 4 bytes' out && grep -q 'in scale(float\*, float)' out &&
    grep -q 'made at oob.cu:10 in main' out && grep -q 'launched at oob.cu:12 in main' out && grep -q '^cudaErrorIllegalAddress$' out
ok $? "a finding has the kernel's name, its line, the allocation's and the launch's" out

cat >late.cu <<'END'
#include <cstdio>
__global__ void nothing() {}
int main()
{
    void *none[1];
    nothing<<<1, 2048>>>();
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    printf("%s\n", cudaGetErrorName(cudaLaunchKernel(nothing, dim3(1), dim3(1), none)));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
END
"$labcc" -g -o late late.cu >log 2>&1 && "$vgpu" --check=none ./late >out 2>err
printf 'cudaErrorInvalidValue\ncudaSuccess\ncudaSuccess\n' | diff - <(grep '^cuda' out) >difference
ok $? "a launch that fails, and one by cudaLaunchKernel" difference

cat >a.cu <<'END'
#include <cstdio>
extern __device__ int table[32];
extern __device__ int twice(int x);
__global__ void fill(int *p) { p[threadIdx.x] = twice(threadIdx.x) + table[threadIdx.x]; }
__global__ void set();
int main()
{
    int *d, h[32];
    cudaMalloc(&d, sizeof h);
    set<<<1, 32>>>();
    fill<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[31]);
    return cudaFree(d);
}
END
cat >b.cu <<'END'
__device__ int table[32];
__device__ int twice(int x) { return 2 * x; }
__global__ void set() { table[threadIdx.x] = 100; }
END
"$labcc" -rdc=true -o linked a.cu b.cu >log 2>&1 && "$vgpu" ./linked >out 2>err
[ "$(cat out)" = "100 162" ]
ok $? "relocatable code of two files is linked" out
"$labcc" -dc a.cu b.cu >log 2>&1 && ar rcs libb.a b.o && "$labcc" a.o libb.a -o linked2 >>log 2>&1 && "$vgpu" ./linked2 >out 2>err
[ "$(cat out)" = "100 162" ]
ok $? "and of an archive" log
"$labcc" -dlink a.o b.o -o link.o >log 2>&1 && nm link.o | grep -q ' T __cudaRegisterLinkedBinary'
ok $? "-dlink writes the object that registers it" log

# What thread 0 alone writes, all read after any barrier: with every clang that is here.
cat >ordered.cu <<'END'
#include <cooperative_groups.h>
#define KERNEL(name, barrier)                     \
    __global__ void name(int *next, int *out)     \
    {                                             \
        __shared__ int mine;                      \
        if (threadIdx.x == 0)                     \
            mine = atomicAdd(next, 1);            \
        barrier;                                  \
        out[threadIdx.x] = mine;                  \
    }
KERNEL(block, __syncthreads())
KERNEL(count, __syncthreads_count(1))
KERNEL(all, __syncthreads_and(1))
KERNEL(any, __syncthreads_or(1))
KERNEL(warp, __syncwarp())
KERNEL(group, cooperative_groups::this_thread_block().sync())
KERNEL(tile, cooperative_groups::thread_block_tile<32>(cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block())).sync())
int main()
{
    int *p;
    cudaMalloc(&p, 65 * sizeof *p);
    cudaMemset(p, 0, 65 * sizeof *p);
    block<<<1, 64>>>(p, p + 1), count<<<1, 64>>>(p, p + 1), all<<<1, 64>>>(p, p + 1), any<<<1, 64>>>(p, p + 1);
    warp<<<1, 32>>>(p, p + 1), group<<<1, 64>>>(p, p + 1), tile<<<1, 32>>>(p, p + 1);
    return cudaDeviceSynchronize() || cudaFree(p);
}
END
for major in $(seq 14 30); do
    clang=$(command -v "clang++-$major") || continue
    LABCC_CLANG=$clang "$labcc" -lineinfo -o ordered ordered.cu >log 2>&1 && "$vgpu" ./ordered >>log 2>&1 && grep -q 'no findings' log
    ok $? "clang $major reads shared memory after the barrier" log
done

cat >context.cu <<'END'
#include <cstdio>
#include <cuda.h>
int main()
{
    CUdevice device;
    CUcontext context;
    CUdeviceptr p = 0;
    cuInit(0), cuDeviceGet(&device, 0), cuDevicePrimaryCtxRetain(&context, device), cuCtxSetCurrent(context);
    printf("%d", cuMemAlloc(&p, 16)), printf(" %d\n", cuMemFree(p));
}
END
"$labcc" -o context context.cu -l:libcuda.so.1 >log 2>&1 && "$vgpu" ./context >out 2>err
[ "$(cat out)" = "0 0" ]
ok $? "a program of the driver API" log

"$labcc" -fatbin oob.cu -o oob.fatbin >log 2>&1 && "$labcc" -ptx oob.cu >>log 2>&1 && grep -q '^.target sm_75' oob.ptx && grep -aq '^.target sm_75' oob.fatbin
ok $? "PTX and a fat binary are written" log

cp oob.cu again.cu
"$labcc" -c -lineinfo -g oob.cu -o 1.o && "$labcc" -c -lineinfo -g oob.cu -o 2.o && cmp 1.o 2.o >log 2>&1
ok $? "the same source is the same object" log

# ---- the precompiled header: in a copy of the kit, with a clang that says how it is called ----

mkdir -p kit/bin kit/lib
cp "$labcc" kit/bin/
cp -r "$(dirname "$labcc")/../include" kit/
ln -s "$(realpath "$(dirname "$labcc")/../lib/vgpu")" kit/lib/vgpu
clang=$(sed -n 2p <("$labcc" --version))
printf '#!/bin/sh\n[ "$1" = --version ] || echo "$*" >>%s/calls\nexec %s "$@"\n' "$scratch" "$clang" >clang++
chmod +x clang++
# NAME HEADERS WORDS... : clang is called that often with -include-pch and with -include
calls() {
    : >calls
    LABCC_CLANG=$scratch/clang++ kit/bin/labcc -arch=compute_75 -lineinfo -g "${@:4}" >log 2>&1
    echo "precompiled $(grep -c -e '-include-pch' calls), parsed $(grep -c -e '-include [^ ]*cuda_runtime.h' calls)" >>log
    grep -qx "precompiled $2, parsed $3" log
    ok $? "$1" log
}
calls "without a precompiled header clang parses" 0 2 -c oob.cu -o plain.o
LABCC_CLANG=$scratch/clang++ kit/bin/labcc -arch=compute_75 -lineinfo -ptx oob.cu -o plain.ptx
LABCC_CLANG=$scratch/clang++ kit/bin/labcc --precompile -arch=compute_75 -lineinfo -g >log 2>&1 && [ "$(ls kit/precompiled | wc -l)" = 2 ]
ok $? "both passes have one" log
find kit/precompiled -name '*.pch' -exec touch -d 2020-01-01 {} +
LABCC_CLANG=$scratch/clang++ kit/bin/labcc --precompile -arch=compute_75 -lineinfo -g >log 2>&1 && [ -z "$(find kit/precompiled -name '*.pch' -newer plain.o)" ]
ok $? "one that serves is kept" log
calls "clang takes them" 2 0 -c oob.cu -o quick.o -I .
LABCC_CLANG=$scratch/clang++ kit/bin/labcc -arch=compute_75 -lineinfo -ptx oob.cu -o quick.ptx && cmp plain.ptx quick.ptx >log 2>&1
ok $? "with them a source is the same PTX" log
calls "not where a macro is given" 0 2 -c oob.cu -o macro.o -DNDEBUG
calls "nor for another standard" 0 2 -c oob.cu -o other.o -std=c++14
printf '#warning "told"\n' | cat oob.cu - >warns.cu
calls "what clang has to say it says the plain way" 2 1 -c warns.cu -o warns.o
[ "$(grep -c 'warning: "told"' log)" = 1 ]
ok $? "and once" log
mv kit elsewhere && mkdir kit && mv elsewhere/* kit/ && mv kit/include kit/was && cp -r kit/was kit/include
calls "they serve in a copy of the kit" 2 0 -c oob.cu -o moved.o
sed -i 's/KIT_VECTOR_TYPES_H/KIT_VECTOR_SORTS_H/' kit/include/cuda/vector_types.h # the same size
calls "a header has changed: they are refused, and the source parsed" 2 2 -c oob.cu -o changed.o
LABCC_CLANG=$scratch/clang++ kit/bin/labcc --precompile -arch=compute_75 -lineinfo -g >log 2>&1
calls "and made again" 2 0 -c oob.cu -o changed.o
options=$(sed -n 's/^LAB_OPTIONS := //p' "$KIT/common/mk/toolchain.mk" | sed 's/[$](comma)/,/g')
LABCC_CLANG=$scratch/clang++ kit/bin/labcc --precompile -arch=compute_75 $options >log 2>&1
calls "the options of labs have theirs" 2 0 -c oob.cu -o lab.o ${options#-lineinfo -g}
printf 'int main(int n, char **) { int a[4] = {}; return a[n + 4]; }\n' >outside.cu
calls "and code that tells an index" 2 0 -c outside.cu -o outside.o ${options#-lineinfo -g}
nm outside.o | grep -q __ubsan_handle_out_of_bounds
ok $? "as the options ask" log

printf 'int main() { return 0 }\n' >bad.cu
"$labcc" -c bad.cu >out 2>&1
[ $? -eq 1 ] && grep -q "^bad.cu:1:.*error: expected ';'" out && [ ! -e bad.o ]
ok $? "a wrong source is clang's error, once" out
LABCC_CLANG=/bin/false "$labcc" -c oob.cu >out 2>&1
[ $? -eq 2 ] && grep -q 'LABCC_CLANG is /bin/false, which is no clang' out
ok $? "a clang that is none is named" out
[ -z "$(find "$scratch" -maxdepth 1 -name 'labcc-*')" ]
ok $? "no temporary folder stays"

echo "1..$n"
exit $bad
