#!/bin/bash
# The nvcc that most tests compile with (lean/nvcc) makes the PTX that the toolkit's makes, and takes all headers where it must.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../..")}"
cd "$KIT" || exit 2
. grader/test/quick-kit.sh
. grader/test/tap.sh
command -v nvcc >/dev/null || skip_all "nvcc is not here"
home=$(realpath "$(common/mk/cuda-home.sh)")
[[ $home = /usr/* ]] || skip_all "the toolkit is not below /usr: tests compile with it as it is"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make_lean_toolkit "$work/toolkit"
# What is compiled in the end, and with which headers: lean, or whole.
sed -i "s,^true=.*,true=$work/nvcc," "$work/toolkit/bin/nvcc"
cat >"$work/nvcc" <<END
#!/bin/sh
case "\$*" in *MATH_FUNCTIONS*) echo lean ;; *) echo whole ;; esac >>$work/headers
exec $home/bin/nvcc "\$@"
END
chmod +x "$work/nvcc"

# Everything that lean/cuda_runtime.h declares.
cat >"$work/declared.cu" <<'END'
#include <stdio.h>
__global__ void both(int *i, unsigned *u, long *l, unsigned long *ul, long long *ll, unsigned long long *ull, float *f)
{
    i[0] = min(i[1], i[2]), i[3] = max(i[4], 7);
    u[0] = min(u[1], u[2]), u[3] = max(u[4], 7u);
    l[0] = min(l[1], l[2]), l[3] = max(l[4], 7l);
    ul[0] = min(ul[1], ul[2]), ul[3] = max(ul[4], 7ul);
    ll[0] = min(ll[1], ll[2]), ll[3] = max(ll[4], 7ll);
    ull[0] = min(ull[1], ull[2]), ull[3] = max(ull[4], 7ull);
    f[0] = min(f[1], f[2]), f[3] = max(f[4], 7.0f);
    f[5] = fabsf(f[6]) + fmaf(f[7], fminf(f[8], f[9]), fmaxf(f[10], f[11]));
    f[12] = sqrtf(f[13]) + expf(f[14]) + logf(f[15]) + rintf(f[16]) + INFINITY;
    atomicAdd(&i[5], __popc(u[5]));
    f[17] = __shfl_down_sync(0xffffffff, f[18], 1);
}
int main(int argc, char **argv)
{
    both<<<0, 1>>>(0, 0, 0, 0, 0, 0, 0);
    float x = argc;
    printf("%d %d %u %u %ld %ld %lu %lu ", min(argc, -2), max(argc, -2), min((unsigned)argc, 5u), max((unsigned)argc, 5u), min(-3l, (long)argc),
           max(-3l, (long)argc), min(1ul << 63, 3ul), max(1ul << 63, 3ul));
    printf("%lld %lld %llu %llu %g %g ", min(-3ll, 2ll), max(-3ll, 2ll), min(1ull << 63, 3ull), max(1ull << 63, 3ull), min(x, -1.5f), max(x, NAN));
    printf("%g %g %g %g %g %g\n", fabsf(-x), fmaf(x, 2, 3), sqrtf(x + 3), expf(x - 1), logf(x), rintf(x + 1.5f) + INFINITY);
    return 0;
}
END
# FROM WHOM: the PTX without the places of headers' own lines.
ptx() { "$1/bin/nvcc" -arch=compute_75 -lineinfo -ptx -o "$work/declared.ptx" "$work/declared.cu" && sed '/^[ \t]*\.loc/d; /^[ \t]*\.file/d; /\.section/,$d' "$work/declared.ptx"; }
same "the PTX is the same" "$(ptx "$home")" "$(ptx "$CUDA_HOME")"
same "with fewer headers" lean "$(cat "$work/headers")"
for who in "$CUDA_HOME" "$home"; do "$who/bin/nvcc" -arch=compute_75 -cudart shared -o "$work/declared" "$work/declared.cu" && "$work/declared" >"$work/${who##*/}.said"; done
same "and so is what the host's code computes" "$(cat "$work/${home##*/}.said")" "$(cat "$work/toolkit.said")"

: >"$work/headers"
echo 'extern "C" float of_a_float(float x) { return abs(x); }' >"$work/overloaded.cu"
"$CUDA_HOME/bin/nvcc" -arch=compute_75 -c -o "$work/overloaded.o" "$work/overloaded.cu" >"$work/said" 2>&1
same "a function that is another one without C++'s headers is C++'s" "0 " "$? $(cat "$work/said")"
same "it was compiled with all headers" "lean whole " "$(tr '\n' ' ' <"$work/headers")"
echo '__global__ void k(int *p) { int never; p[0] = missing; }' >"$work/wrong.cu"
same "what the compiler says of an error is what it says" "$("$CUDA_HOME/bin/nvcc" -arch=compute_75 -c -o "$work/wrong.o" "$work/wrong.cu" 2>&1)" \
    "$("$home/bin/nvcc" -arch=compute_75 -c -o "$work/wrong.o" "$work/wrong.cu" 2>&1)"
echo '__global__ void k(int *p) { int never = 1; p[0] = 2; }' >"$work/unused.cu"
same "and of a warning" "$("$CUDA_HOME/bin/nvcc" -arch=compute_75 -c -o "$work/unused.o" "$work/unused.cu" 2>&1)" \
    "$("$home/bin/nvcc" -arch=compute_75 -c -o "$work/unused.o" "$work/unused.cu" 2>&1)"
tap_end
