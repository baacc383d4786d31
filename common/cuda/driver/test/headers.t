#!/bin/bash
# The kit's headers: every one compiles alone with each clang that is installed, and <memory> behind them all; the functions that they declare are those that the
# runtime has; cuda::atomic, eight-bit floats, barriers and pipelines do what they are to do; and where a toolkit is installed, its
# numbers, layouts and declarations are the same.
set -u
: "${BUILD:=build}" "${KIT:=$PWD}"
BUILD=$(realpath "$BUILD")
include=$BUILD/include/cuda labcc=$BUILD/bin/labcc
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch
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

# ---- each header alone, each clang ----

cat >all.cu <<'END'
#include <memory>
__global__ void everything(float *p, int *q, double *d)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    p[0] = cg::reduce(tile, p[1], cg::plus<float>()) + cg::inclusive_scan(tile, p[2]);
    p[3] = sinf(p[4]) + powf(p[5], 2) + __expf(p[6]) + rsqrt(p[7]) + min(p[8], 1.0f) + __fadd_rz(p[9], 1) + roundf(p[10]);
    d[0] = exp(d[1]) + fma(d[2], d[3], d[4]) + __dsqrt_rn(d[5]) + std::abs(d[6]);
    q[0] = __popc(q[1]) + __clz(q[2]) + max(q[3], 3) + __shfl_down_sync(~0u, q[4], 1) + __dp4a(q[5], q[6], 1) + __float2int_rn(p[11]);
    atomicAdd(&p[12], 1.0f), atomicCAS(&q[7], 0, 1), atomicMax(&q[8], 5), atomicSub(&q[9], 1);
    half h = __float2half(p[13]);
    p[14] = __half2float(h * h + __hfma(h, h, h)) + (float)__nv_bfloat16(p[15]);
}
int main()
{
    int blocks = 0, size = 0, shared = 0;
    everything<<<1, 32, shared>>>(nullptr, nullptr, nullptr);
    cudaOccupancyMaxPotentialBlockSize(&blocks, &size, everything);
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float4>();
    return desc.w + __half2float(__float2half(1.5f)) + max(blocks, size) + *std::make_shared<int>(blocks);
}
END
# A call of each function that clang's headers declare for devices, but for those of long double.
cat >calls.pl <<'END'
my (%seen, @calls);
my $n = 0;
for my $file (@ARGV) {
    open my $in, '<', $file or die; local $/; my $text = <$in>; $text =~ s,//.*,,g;
    while ($text =~ /^__DEVICE__\s+([\w ]+?[\w*])\s*\b(\w+)\(([^()]*)\)/gm) {
        my ($result, $name, $of, $before, @given) = ($1, $2, $3, '');
        next if $name =~ /^__/ || $of =~ /long double/ || $seen{"$name($of)"}++;
        for my $type (split /,/, $of) {
            $type =~ s/\bconst\b|\b__\w+\s*$|^\s+//g; $type =~ s/^\s+|\s+$//g;
            if ($type eq '' || $type eq 'void') { next }
            elsif ($type =~ s/\s*\*$//) { $n++; $before .= "$type v$n\[4] = {}; "; push @given, "v$n" }
            else { push @given, "($type)x" }
        }
        my $call = "$name(" . join(', ', @given) . ')';
        push @calls, "{ $before" . ($result eq 'void' ? "$call; }" : 'o[' . $n++ . "] = (double)$call; }");
    }
}
print "#include <cmath>\n__global__ void k(double x, double *o)\n{\n", join("\n", @calls), "\n}\n";
END
# What the virtual GPU knows by name.
{ sed -n 's/^X(\([a-z0-9_]*\),.*/__nv_\1\n__nv_\1f/p' "$KIT/common/vgpu/ir/libdevice.def"; } | sort >by_name
found=0
for major in $(seq 14 30); do
    clang=$(command -v "clang++-$major") || continue
    found=$((found + 1))
    : >log
    for header in "$include"/*.h "$include"/cooperative_groups/*.h "$include"/cuda/*; do
        echo "#include <${header#"$include"/}>" >>all.h
        case $header in */cuda_fp16.h | */mma.h | */reduce.h | */cuda_runtime_api.h) ;; *) continue ;; esac
        echo "#include <${header#"$include"/}>" >alone.cpp
        [ "${header##*/}" = mma.h ] || "$clang" -std=c++17 -fsyntax-only -isystem "$include" alone.cpp >>log 2>&1 || echo "$header, not as CUDA" >>log
    done
    (cat all.h && echo 'namespace cg = cooperative_groups;' && cat all.cu) >"every$major.cu"
    LABCC_CLANG=$clang "$labcc" -lineinfo -c "every$major.cu" >>log 2>&1 || echo "every$major.cu" >>log
    rm -f all.h
    [ ! -s log ]
    ok $? "clang $major compiles all headers, without a word" log
    declares=$("$clang" -print-resource-dir)/include
    perl calls.pl "$declares/__clang_cuda_math_forward_declares.h" "$declares/__clang_cuda_math.h" >calls.cu
    LABCC_CLANG=$clang "$labcc" -ptx -o calls.ptx calls.cu >log 2>&1
    awk '/\.extern \.func/ { f = 1 } f && match($0, /[A-Za-z_][A-Za-z0-9_]*$/) && !/_param_/ { print substr($0, RSTART, RLENGTH); f = 0 }' calls.ptx | sort -u | comm -23 - by_name >>log
    [ ! -s log ] && [ "$(grep -c 'x' calls.cu)" -gt 250 ]
    ok $? "clang $major: each function that its headers declare for devices is there" log
done
[ $found -gt 0 ] || { echo "1..0 # SKIP no clang with its version in its name"; exit 0; }

# ---- what programs print on the device, on the host, and with a toolkit's headers ----

run() { # NAME: compiled and run without a finding; its output is NAME.txt
    "$labcc" -lineinfo -o "$1" "$KIT/common/cuda/driver/test/$1.cu" >log 2>&1 && "$BUILD/bin/vgpu" --quiet "./$1" >"$1.txt" 2>>log
}
as_with_nvcc() { # NAME
    if command -v nvcc >/dev/null; then
        nvcc -cudart shared -arch=compute_75 -o "$1.nvcc" "$KIT/common/cuda/driver/test/$1.cu" >log 2>&1 && "$BUILD/bin/vgpu" --quiet "./$1.nvcc" 2>>log | diff - "$1.txt" >>log
        ok $? "$1: the same from nvcc with its own headers" log
    else
        ok 0 "$1: the same from nvcc with its own headers # SKIP no nvcc"
    fi
}
run atomics
ok $? "atomics: each operation, scope and order compiles and runs without a finding" log
diff <(sed -n 's/^device //p' atomics.txt) <(sed -n 's/^host //p' atomics.txt) >difference && [ "$(wc -l <atomics.txt)" = 27 ]
ok $? "atomics: the device's results are the host's" difference
as_with_nvcc atomics
run cached && [ "$(grep -c 'error 0, 0 bytes differ' cached.txt)" = 30 ]
ok $? "cached: loads and stores with cache hints of 30 types pass on every byte" cached.txt
as_with_nvcc cached
run parity && [ "$(grep -c 'right$' parity.txt)" = 70 ] && [ ! -s log ]
ok $? "parity: code at which clang's back end breaks is compiled all the same, in silence" log
as_with_nvcc parity
run fp8 && grep -q '^9052 inputs' fp8.txt
ok $? "fp8: every conversion is that to the nearest of all codes, on the device and on the host" fp8.txt
as_with_nvcc fp8
run library && [ "$(grep -c . library.txt)" -gt 5000 ]
ok $? "library: mathematics, random numbers and parts of groups compile, and run without a finding" log
as_with_nvcc library

# ---- what is not there says so ----

cat >refused.cu <<'END'
__managed__ int shared_by_all;
__global__ void reads(int *p) { *p = shared_by_all; }
__global__ void __cluster_dims__(2, 1, 1) in_pairs(int *p) { *p = 1; }
int main() { in_pairs<<<2, 32>>>(nullptr); }
END
"$labcc" -o refused refused.cu >log 2>&1
[ $? -ne 0 ] && grep -q "clang compiles no __managed__ variables: take memory of cudaMallocManaged" log && grep -q "no clusters of blocks" log
ok $? "managed variables and clusters are refused by name" log

# ---- textures and surfaces: every shape, by level, by gradient and gathered ----

textures=$KIT/common/vgpu/cudart/test
"$labcc" -std=c++17 -lineinfo -o textures "$textures/textures.cu" >log 2>&1 && "$BUILD/bin/vgpu" --quiet ./textures 2>>log | diff "$textures/textures-h200.txt" - >>log
ok $? "textures and surfaces: the lines of a real GPU" log

# ---- barriers, pipelines and asynchronous copies: programs of the virtual GPU's own tests ----

for target in 75:t4 80:a100; do
    arch=${target%:*} vgpu=("$BUILD/bin/vgpu" --quiet "--device=${target#*:}")
    "$labcc" -std=c++17 -lineinfo -arch=compute_"$arch" -o async "$KIT/common/vgpu/exec/test/async.cu" >log 2>&1 && "${vgpu[@]}" ./async >>log 2>&1 &&
        [ "$(grep -c '^right' log)" = 7 ]
    ok $? "compute_$arch: copies, barriers and pipelines are right, and nothing is found" log
    "$labcc" -std=c++17 -lineinfo -arch=compute_"$arch" -o right "$KIT/common/vgpu/check/test/right.cu" >log 2>&1 && "${vgpu[@]}" ./right >log 2>&1 &&
        [ "$(grep -c ' right$' log)" -ge 60 ]
    ok $? "compute_$arch: nothing is found in right kernels" log
done
wrong() { # NUMBER KIND MARK: a copy of async.cu used wrongly, what is found, a line that must be named
    "$BUILD/bin/vgpu" --device=a100 ./async "$1" >log 2>&1
    grep -Eq "async.cu:[0-9]+:[0-9]+: $2: " log && grep -q "async.cu:$(grep -n "line: $3" "$KIT/common/vgpu/exec/test/async.cu" | cut -d: -f1)\b" log
    ok $? "a wrong copy is found: $3" log
}
wrong 0 uninitialized "read before the wait"
wrong 1 race "race: another thread's copy"
wrong 2 race "race: others may still read"

# ---- the table and the runtime ----

sed -n 's/^X(\(_*cuda[A-Za-z0-9_]*\), \(SUPPORTED\|ACCEPTED\),.*/\1/p' "$KIT/common/vgpu/cudart/api.def" | grep -v '_pt[sd][zs]$' |
    grep -Ev '^__cuda(GetKernel|LaunchKernel|InitModule|Register|Unregister)' | sort >has
sed -n 's/^CUDA_FUNCTION([^,]*, \([A-Za-z0-9_]*\),.*/\1/p' "$include/kit/runtime_api.def" | sort >declares
diff has declares >difference
ok $? "what the runtime has, the headers declare" difference
sed -n 's/^X(\(cu[A-Za-z0-9_]*\), [A-Za-z0-9_]*, [0-9]*, false, \(SUPPORTED\|ACCEPTED\),.*/\1/p' "$KIT/common/vgpu/cuda/api.def" | grep -v '^cuProfiler' | sort >has
sed -n 's/^CUDA_DRIVER_FUNCTION(\([A-Za-z0-9_]*\),.*/\1/p' "$include/kit/driver_api.def" | sort >declares
diff has declares >difference
ok $? "what the driver library has, cuda.h declares" difference
printf '#include <cuda_runtime.h>\n#include <cuda.h>\n#include <nvrtc.h>\nint f(cudaError_t e, dim3 *d) { return (int)e + (int)d->x; }\n' >plain.c
gcc -std=c11 -Wall -Wextra -pedantic -Werror -isystem "$include" -fsyntax-only plain.c >log 2>&1
ok $? "C takes them too" log

# ---- a toolkit's facts ----

toolkit=${CUDA_HOME:-}/include
if [ ! -e "$toolkit/cuda_runtime_api.h" ] || ! nvcc --version 2>/dev/null | grep -q 'release 13\.0'; then
    ok 0 "facts of a toolkit # SKIP no toolkit 13.0"
else
    cat >facts.pl <<'END'
undef $/;
my ($include) = @ARGV;
sub text { open my $f, '<', "$include/$_[0]" or die; my $t = <$f>; $t =~ s,/\*.*?\*/,,gs; $t }
my $t = text('driver_types.h');
print "#include <stdio.h>\n#include <stddef.h>\n#include <cuda_runtime_api.h>\n#include <cuda.h>\n#include <nvrtc.h>\nint main(void)\n{\n";
my @names;
$t .= text('cuda.h') . text('nvrtc.h');
while ($t =~ /^(?:typedef )?enum (?:\w+ )?\{(.*?)\}/gms) { my $b = $1; push @names, $1 while $b =~ /\b((?:cuda|CU_|CUDA_|NVRTC_)\w+)\s*(?==|,|\n)/g }
push @names, $1 while $t =~ /^#define (cuda\w+|CU_\w+|CUDA_VERSION) +\(?\(?(?:int|cudaStream_t|CUstream|CUdevice|void|0x|\d)/gm;
for my $d ('kit/errors.def', 'kit/device_attributes.def', 'kit/driver_errors.def', 'kit/driver_attributes.def') { my $x = text($d); push @names, $1 while $x =~ /^X\((\w+), \d+/gm }
print "printf(\"$_ %lld\\n\", (long long)$_);\n" for @names;
while ($t =~ /^(?:typedef )?(struct|union) (\w+) \{\n(.*?)^\}(?: \w+)?;/gms) {
    my ($type, $body, $depth) = ("$1 $2", $3, 0);
    print "printf(\"$type %zu\\n\", sizeof($type));\n";
    for (split /\n/, $body) {
        if (/\{\s*$/) { $depth++; next }
        if (/^\s*\}\s*(\w+)?;/) { $depth--; print "printf(\"$type.$1 %zu\\n\", offsetof($type, $1));\n" if !$depth && $1; next }
        next if $depth || /^#/ || !/(\w+)(\[.*\])?;/ || $1 =~ /^reserved|^pad$/;
        print "printf(\"$type.$1 %zu %zu\\n\", offsetof($type, $1), sizeof((($type *)0)->$1));\n";
    }
}
print "return 0;\n}\n";
END
    perl facts.pl "$include" >facts.c
    gcc -w -isystem "$include" -o ours facts.c >log 2>&1 && gcc -w -isystem "$toolkit" -o theirs facts.c >>log 2>&1 && ./ours >ours.txt && ./theirs >theirs.txt
    diff theirs.txt ours.txt >difference && [ "$(wc -l <ours.txt)" -gt 800 ]
    ok $? "$(wc -l <ours.txt) numbers and layouts are the toolkit's" difference
    cat >declared.c <<'END'
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>
#define CUDA_DEFAULT(value)
#define CUDA_FUNCTION(result, name, parameters) extern result name parameters;
#include "kit/runtime_api.def"
END
    cat >driver.c <<'END'
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <nvrtc.h>
#define CUDA_DRIVER_FUNCTION(name, parameters) extern CUresult name parameters;
#include "kit/driver_api.def"
#define NVRTC_FUNCTION(name, parameters) extern nvrtcResult name parameters;
#include "kit/nvrtc_api.def"
END
    (echo '#include <cuda.h>' && sed -n 's/^#define \(cu[A-Z][A-Za-z0-9]*\) .*/kit \1/p' "$include/cuda.h") >renamed.h
    gcc -E -P -isystem "$toolkit" renamed.h | grep '^kit' >theirs.txt && gcc -E -P -isystem "$include" renamed.h | grep '^kit' | diff theirs.txt - >difference
    ok $? "names stand for the forms that the toolkit's stand for" difference
    gcc -w -fsyntax-only -isystem "$toolkit" -iquote "$include" declared.c driver.c >log 2>&1
    ok $? "the declarations agree with the toolkit's" log
fi

echo "1..$n"
exit $bad
