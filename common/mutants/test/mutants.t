#!/bin/bash
# Mutants of small sources and of the labs' solutions: each operator makes what it says, samples are the same each time, equivalent.yaml is true.
# A few mutants of lab 02 are graded, and their rate is held.
set -uo pipefail
: "${BUILD:?}" "${KIT:?}"
cd "$KIT" || exit 2
n=0
result() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; printf '%s\n' "${3:-}" | sed 's/^/# /' | head -40; fi; }
[ -x "$BUILD/bin/mutate" ] || { echo "1..0 # SKIP libclang-dev is not installed"; exit 0; }
command -v nvcc >/dev/null || { echo "1..0 # SKIP nvcc is not here"; exit 0; }
cuda=$(common/mk/cuda-home.sh)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mutate() {
    local lab=$1
    shift
    "$BUILD/bin/mutate" "$@" -x cuda --cuda-host-only -nocudainc -nocudalib -std=c++17 -include common/mutants/cuda.h -I "labs/$lab" -I common/lab -I "$cuda/include"
}

cat >"$tmp/small.cu" <<'END'
int given(int x) { return x + 1; }
__global__ void kernel(const int *in, int *out, int n)
{
    //@ solution 1
    __shared__ int tile[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && n > 3)
        tile[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n)
        out[i] = tile[threadIdx.x] * (int)sizeof(int);
    //@ stub
    //@ end
}
extern "C" int run(const int *in, int *out, int n)
{
    //@ solution 2
    int blocks = (n + 256 - 1) / 256;
    int devices = 0, current = 0, zeros = 0;
    size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    cudaGetDeviceCount(&devices);
    if (current < devices)
        cudaGetDevice(&current);
    cudaMemcpy(out, &zeros, sizeof zeros, cudaMemcpyHostToDevice);
    kernel<<<blocks, 256>>>(in, out, n);
    return cudaGetLastError();
    //@ stub
    //@ end
}
END
mutate 01-indexing "$tmp/small.cu" >"$tmp/list" 2>"$tmp/said"
result $? "a source is read" "$(cat "$tmp/said")"
# OPERATOR TEXT: one of the mutants is of that operator, and has this line.
has() {
    grep -P "^\\d+\t$1\t" "$tmp/list" | cut -f8 | grep -qFx -- "$2"
    result $? "$1: $2" "$(grep -P "\t$1\t" "$tmp/list")"
}
has bound 'if (i <= n)'
has logic 'if (i < n || n > 3)'
has dropped-condition 'if (i < n)'
has dropped-guard 'if (true)'
has missing-term 'int i = threadIdx.x;'
has arithmetic 'int i = blockIdx.x * blockDim.x - threadIdx.x;'
has builtin 'int i = blockIdx.x * gridDim.x + threadIdx.x;'
has axis 'int i = blockIdx.y * blockDim.x + threadIdx.x;'
has off-by-one 'tile[threadIdx.x] = in[i - 1];'
has shared-size '__shared__ int tile[256 - 1];'
has dropped-barrier '(void)0;'
has size 'out[i] = tile[threadIdx.x] * (int)1;'
has rounding 'int blocks = (n) / 256;'
has launch-shape 'kernel<<<256, blocks>>>(in, out, n);'
has arguments 'kernel<<<blocks, 256>>>(out, in, n);'
has dropped-check 'return cudaSuccess;'
has constant 'int devices = 0, current = (0 + 1), zeros = 0;'
has constant 'int devices = 0, current = 0, zeros = (0 + 1);'
! grep -qE '_bytes = \(|int devices = \(' "$tmp/list"
result $? "a first value that a call overwrites is left alone" "$(grep -E '_bytes = \(|int devices = \(' "$tmp/list")"
has dead-second-call '{ static int calls; if (calls++ > 0) return 0;'
sed 's/<<<blocks, 256>>>/<<<dim3(blocks, 1), (256), 0, (cudaStream_t)0>>>/' "$tmp/small.cu" >"$tmp/stream.cu"
mutate 01-indexing "$tmp/stream.cu" | cut -f8 >"$tmp/of-stream"
grep -q 'dim3(blocks, (1 + 1)), (256), 0, (cudaStream_t)0>>>' "$tmp/of-stream" && ! grep -q '(0 [+-] 1), (cudaStream_t)0>>>' "$tmp/of-stream"
result $? "no shared memory stays none" "$(grep '>>>' "$tmp/of-stream")"
given=$(cut -f4 "$tmp/list" | grep -cx 1)
[ "$given" = 0 ]
result $? "what is given stays as it is" "$given"
mutate 01-indexing --sample=9 --seed=5 "$tmp/small.cu" >"$tmp/one"
mutate 01-indexing --sample=9 --seed=5 "$tmp/small.cu" >"$tmp/two"
[ "$(wc -l <"$tmp/one")" = 9 ] && cmp -s "$tmp/one" "$tmp/two" && [ "$(cut -f2 "$tmp/one" | sort -u | wc -l)" = 9 ]
result $? "a sample is the same each time, and the operators take turns" "$(cat "$tmp/one")"
sed 's/blocks = (n/blocks = (m/' "$tmp/small.cu" >"$tmp/wrong.cu"
mutate 01-indexing "$tmp/wrong.cu" >/dev/null 2>"$tmp/said"
[ $? = 2 ] && grep -q "undeclared identifier 'm'" "$tmp/said"
result $? "a source that libclang cannot read is told" "$(cat "$tmp/said")"
mutate 01-indexing --style=launches "$tmp/stream.cu" >"$tmp/styled" && grep -qF 'style_launch(kernel, dim3(dim3(blocks, 1)), dim3((256)), 0, (cudaStream_t)0, in, out, n);' "$tmp/styled"
result $? "launches are calls" "$(grep launch "$tmp/styled")"
mutate 01-indexing --style=wide "$tmp/small.cu" >"$tmp/styled"
grep -qF 'long long i = (int)(blockIdx.x * blockDim.x + threadIdx.x);' "$tmp/styled" && [ "$(diff "$tmp/small.cu" "$tmp/styled" | grep -c '^>')" = 1 ]
result $? "whole numbers of kernels have 64 bits, and the host's stay" "$(diff "$tmp/small.cu" "$tmp/styled")"
! mutate 01-indexing --style=none "$tmp/small.cu" >/dev/null 2>"$tmp/said" && grep -q 'no style none' "$tmp/said"
result $? "a style that is not there is told" "$(cat "$tmp/said")"

# FILE LIST: what is not true of an equivalent.yaml.
untrue() { awk -f common/mutants/named.awk "$1" "$2" | sed -n 's/^wrong	//p'; }
for file in solutions/*/equivalent.yaml; do
    lab=$(basename "$(dirname "$file")")
    mutate "$lab" "solutions/$lab/$("$BUILD/bin/labtool" files "labs/$lab" | head -n 1)" >"$tmp/all"
    wrong=$(untrue "$file" "$tmp/all")
    [ -z "$wrong" ]
    result $? "$file names mutants that there are, with reasons, and at most a tenth" "$wrong"
done
printf -- "- line: 'if (i < n)'\n  mutant: 'if (i < m)'\n" >"$tmp/equivalent.yaml"
[ "$(untrue "$tmp/equivalent.yaml" "$tmp/list" | wc -l)" = 2 ]
result $? "the control: a mutant that there is not, and a reason that is missing" "$(untrue "$tmp/equivalent.yaml" "$tmp/list")"
cat >"$tmp/twice.cu" <<'END'
void first(int *a, int n)
{
    //@ solution 1
    if (n > 0)
        a[0] = 0;
    //@ end
}
void second(int *a, int n)
{
    //@ solution 2
    if (n > 0)
        a[0] = 1;
    //@ end
}
END
mutate 01-indexing "$tmp/twice.cu" >"$tmp/twice"
printf -- "- line: 'if (n > 0)'\n  mutant: 'if (n >= 0)'\n  places: 2\n  why: it is asked with one at least\n" >"$tmp/equivalent.yaml"
awk -f common/mutants/named.awk "$tmp/equivalent.yaml" "$tmp/twice" >"$tmp/said"
[ "$(grep '	if (n >= 0)$' "$tmp/said" | cut -f1 | paste -sd' ')" = 'other named' ] && ! grep -q ^wrong "$tmp/said"
result $? "a change that can be made in two places is named in one of them" "$(cat "$tmp/said")"
for places in '' 'places: 3'; do
    sed -E "s/^  places: .*/  $places/; /^  *$/d" "$tmp/equivalent.yaml" >"$tmp/other.yaml"
    untrue "$tmp/other.yaml" "$tmp/twice" | grep -q "stands in 2 places.*: if (n > 0)"
    result $? "the control: ${places:-no place} is not true of it" "$(untrue "$tmp/other.yaml" "$tmp/twice")"
done

printf -- "- line: 'if (i < n)'\n  mutant: 'if (i <= n)'\n  why: it is not\n" >"$tmp/equivalent.yaml"
EQUIVALENT=$tmp/equivalent.yaml common/mutants/equivalents.pl 3 02-vector-add >"$tmp/said" 2>&1
[ $? = 1 ] && grep -q 'is told by .* seed [0-9]* (after [0-2]): if (i <= n)' "$tmp/said"
result $? "a mutant that is not equivalent is told by a random case" "$(cat "$tmp/said")"

# What compiles at run time is asked for once: by words and source, and not by the folder's name; what was refused, or warned of, each time.
cat >"$tmp/compiler" <<'END'
#!/bin/bash
echo "$*" >>"${0%/*}/asked"
[ "$*" = --version ] && { echo "clang version 15"; exit; }
! grep -q wrong "${!#}" || { echo "no such thing" >&2; exit 1; }
! grep -q warns "${!#}" || echo "a warning" >&2
tr a-z A-Z <"${!#}" >"$2"
END
chmod +x "$tmp/compiler"
mkdir "$tmp/kept"
compiled() { # SOURCE OPTION
    local folder
    folder=$(mktemp -d "$tmp/nvrtc-XXXXXX")
    printf '%s\n' "$1" >"$folder/source.cu"
    TMPDIR=$folder common/mutants/remember.sh "$tmp/kept" "$tmp/compiler" -o "$folder/ptx" "$2" -I "$folder/headers" "$folder/source.cu" 2>&1
    echo "$? $(cat "$folder/ptx" 2>/dev/null)"
}
said=$(for source in abc abc abd wrong wrong warns warns; do compiled $source -x; done; compiled abc -y; for i in 1 2; do common/mutants/remember.sh "$tmp/kept" "$tmp/compiler" --version; done)
[ "$(tr '\n' ' ' <<<"$said")" = '0 ABC 0 ABC 0 ABD no such thing 1  no such thing 1  a warning 0 WARNS a warning 0 WARNS 0 ABC clang version 15 clang version 15 ' ] && [ "$(wc -l <"$tmp/asked")" = 8 ]
result $? "what compiles at run time is compiled once" "$said
$(cat "$tmp/asked")"

"$BUILD/bin/grade" doctor >"$tmp/doctor" 2>&1 || { echo "ok $((n + 1)) - mutants are graded # SKIP grade doctor is not content"; echo "1..$((n + 1))"; exit 0; }
SAMPLE=3 SEED=3 FLOOR=100 common/mutants/mutants.sh 02-vector-add >"$tmp/report" 2>&1
result $? "three mutants of lab 02 are killed" "$(cat "$tmp/report")"
grep -qE '^killed ([1-3]) of \1 \(100 %\)' "$tmp/report" && grep -q '^  operator ' "$tmp/report" && grep -q '^  case ' "$tmp/report"
result $? "the report says by what" "$(cat "$tmp/report")"
# Styles: right ones stay right; one that is wrong is told, but where the list says that it must fall short.
SAMPLE=2 common/mutants/styles.sh 02-vector-add >"$tmp/report" 2>&1
[ $? = 0 ] && grep -qx '02-vector-add: 2 right in other styles, 0 short of all points, 0 that do not compile' "$tmp/report"
result $? "lab 02 in two other styles" "$(cat "$tmp/report")"
mkdir "$tmp/styles"
printf '#define cudaGetLastError() cudaSuccess\n' >"$tmp/styles/no-check.h"
: >"$tmp/styles/short.tsv"
STYLES=$tmp/styles common/mutants/styles.sh 02-vector-add >"$tmp/report" 2>&1
[ $? = 1 ] && grep -q '^  solution.no-check: .* of 100$' "$tmp/report" && grep -q '^    [a-z-]*: cuda-error: ' "$tmp/report"
result $? "the control: a style that is wrong" "$(cat "$tmp/report")"
printf '02-vector-add\tno-check\tnobody asks\n' >"$tmp/styles/short.tsv"
STYLES=$tmp/styles common/mutants/styles.sh 02-vector-add >"$tmp/report" 2>&1
[ $? = 0 ] && grep -q '^  solution.no-check: .* (as it must: nobody asks)$' "$tmp/report"
result $? "one that must fall short" "$(cat "$tmp/report")"
# A survivor is graded again, alone; one that compiles to the solution's code (BLOCK is 256, and 256 / 31 is 8, too) is none.
source=solutions/06-reduction/$("$BUILD/bin/labtool" files labs/06-reduction | head -n 1)
mkdir -p "$BUILD/mutants"
mutate 06-reduction "$source" >"$BUILD/mutants/06-reduction.list"
number=$(awk -F'\t' '$8 == "__shared__ float of_warp[BLOCK / (32 - 1)];" { print $1 }' "$BUILD/mutants/06-reduction.list")
printf '1\tbound\tkilled\twrong-result\tn\t5\t1\n%s\tconstant\tsurvived\tpass\t\t0\t3\n' "$number" >"$BUILD/mutants/06-reduction.tsv"
SURVIVORS=1 common/mutants/mutants.sh 06-reduction >"$tmp/report" 2>&1
grep -q ' graded 1, 0 more do not compile, 1 compile to the same code,' "$tmp/report" && grep -q '^killed 1 of 1 (100 %)' "$tmp/report"
result $? "a survivor is graded again, and is none where its code is the solution's" "$(cat "$tmp/report")"
sed -i 1d "$BUILD/mutants/06-reduction.list"
SURVIVORS=1 common/mutants/mutants.sh 06-reduction >"$tmp/report" 2>&1
[ $? = 2 ] && grep -q 'grade them all first' "$tmp/report"
result $? "numbers of other mutants say nothing" "$(cat "$tmp/report")"
echo "1..$n"
