#!/bin/bash
# Speed on a GPU, on a machine that seems to have a card: the toolkit's runtime is the virtual GPU's, and the clock one that says what it is
# told, so that no time decides anything. The conversation, the solution beside the submission and the comparison of answers are the real ones.
cd "$(dirname "$0")/../../.."
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "${BUILD:-build}")
[ -z "${SAN:-}" ] || skip_all "a sanitized runtime cannot stand in a program of another compiler"
command -v nvcc >/dev/null || skip_all "nvcc is not here"
command -v bwrap >/dev/null || skip_all "bubblewrap is not installed"
tmp=$(mktemp -d /tmp/speed-test-XXXXXX)
trap 'rm -rf "$tmp"' EXIT
chmod 755 "$tmp"
lab=06-reduction
nvcc=${CUDA_HOME:?}/bin/nvcc
make_kit_copy "$tmp/kit" $lab
cp solutions/$lab/reduction.cu "$tmp/kit/solutions/$lab/"
mkdir -p "$tmp"/machine/dev "$tmp"/toolkit/{bin,lib64}
touch "$tmp"/machine/dev/nvidia{ctl,0,-uvm}
cat >"$tmp/toolkit/bin/nvcc" <<END
#!/bin/bash
for argument; do [ "\$argument" != -arch=native ] || argument=-arch=compute_75; all+=("\$argument"); done
exec $(realpath "$nvcc") "\${all[@]}"
END
chmod +x "$tmp/toolkit/bin/nvcc"
cp "$BUILD/lib/vgpu/libcudart.so.13" "$tmp/toolkit/lib64"
ln -s libcudart.so.13 "$tmp/toolkit/lib64/libcudart.so"

# One case, with small arrays. `bytes` puts the roofline out of the way: the virtual GPU's memory is slow.
sed '/^cases:/,$d' labs/$lab/lab.yaml >"$tmp/kit/labs/$lab/lab.yaml"
cat >>"$tmp/kit/labs/$lab/lab.yaml" <<'END'
cases:
  - name: speed
    params: {function: sum_strided, n: 1000}
    points: 100
    metric: traffic_ratio
    least: 1
    tiers: [{at_most: 1, points: 100}]
    speed:
      params: {n: 4096}
      bytes: 0.001
      tiers: [{at_least: 0.5, points: 100}, {at_least: 0.25, points: 40}]
END
rm -f "$tmp/kit/labs/$lab"/lab.*.yaml

solution=solutions/$lab/reduction.cu
hand_in() { mkdir -p "$tmp/class/$1/$lab" && cat >"$tmp/class/$1/$lab/reduction.cu"; }
hand_in right <$solution
attacks=$(grep -l '^// expect: ' grader/test/attacks-timing/*.cu) # the others need a card's clock
for attack in $attacks; do
    { cat "$attack"; sed -e '/#include/d' -e 's/^int sum_strided/extern "C" &/' $solution; } | hand_in "$(basename "$attack" .cu)"
done
on_gpu() { # CLOCK OUT ARGUMENTS...
    KIT_SPEED_CLOCK=$1 CUDA_HOME=$tmp/toolkit KIT_DOCTOR_ROOT=$tmp/machine "$grade" run --device gpu --jobs 2 --seed 1 --submissions "$tmp/class" --out "$tmp/$2" "${@:3}" >"$tmp/log" 2>&1
}
field() { python3 -c 'import json,sys; c=json.load(open(sys.argv[1]))["cases"][0]; m=c.get("metrics", {}); print(eval(sys.argv[2]))' "$tmp/$1/results/$2/$lab/result.json" "$3"; }
verdict() { field "$1" "$2" '"%s %g" % (c["verdict"], c["points"])'; }

on_gpu "10 110 135" out
same "the class is graded, and falls short" 1 $? || sed 's/^/# /' "$tmp/log"
same "80 % of the solution's speed are all points" "pass 100" "$(verdict out right)"
same "what was measured is in the result" "0.8 125 100 0" "$(field out right '"%.3g %.4g %.4g %g" % (m["speed_share"], m["speed_call_us"], m["speed_reference_us"], m["speed_spread"])')"
check "and told" grep -q "80 % of the solution's speed" "$tmp/out/results/right/$lab/result.json"
for attack in $attacks; do
    name=$(basename "$attack" .cu)
    wanted=$(sed -n 's,^// expect: ,,p' "$attack")
    [ "$wanted" = as-right ] && points="pass 100" || points="$wanted 0"
    same "$name: $wanted" "$points" "$(verdict out "$name")" || field out "$name" 'c["message"]' | sed 's/^/# /'
done

# On a card a sum of floats is exact in any order, or two right programs have two answers: the mean of the inputs is 0.
cat >"$tmp/fill.c" <<'END'
#include "common/lab/speed_kernels.h"
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    cudaLibrary_t library;
    cudaKernel_t fill;
    unsigned long long n = 1 << 20, seed = 7;
    unsigned kind = 1;
    float *to, *in = malloc(n * sizeof *in), sum = 0, least = 0, most = 0;
    void *arguments[] = {&to, &n, &seed, &kind};
    if (!in || cudaLibraryLoadData(&library, speed_kernels, NULL, NULL, 0, NULL, NULL, 0) || cudaLibraryGetKernel(&fill, library, "speed_fill") ||
        cudaMalloc((void **)&to, n * sizeof *in) ||
        cudaLaunchKernel((const void *)fill, (dim3){64, 1, 1}, (dim3){256, 1, 1}, arguments, 0, 0) || cudaMemcpy(in, to, n * sizeof *in, cudaMemcpyDeviceToHost))
        return 1;
    for (unsigned long long i = 0; i < n; i++) {
        sum += in[i];
        least = in[i] < least ? in[i] : least;
        most = in[i] > most ? in[i] : most;
    }
    printf("%g to %g, %s", least, most, sum > -16384 && sum < 16384 ? "0 in the mean" : "not 0 in the mean");
    cudaFree(to);
    cudaLibraryUnload(library);
    free(in);
    return 0;
}
END
gcc -I. -isystem "$CUDA_HOME/include" -o "$tmp/fill" "$tmp/fill.c" "$BUILD/lib/vgpu/libcudart.so.13" || exit 1
same "inputs of a timed run add up to little" "-7 to 7, 0 in the mean" "$(LD_LIBRARY_PATH=$BUILD/lib/vgpu "$tmp/fill")"
tap_end
