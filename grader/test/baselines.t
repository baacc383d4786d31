#!/bin/bash
# The numbers of the cases' baselines are those of the solutions, for inputs of other seeds too; with SHORT=1 of one seed.
cd "$(dirname "$0")/../.."
. grader/test/tap.sh
. grader/test/quick-kit.sh
. common/mk/test/short.sh
BUILD=$(realpath "${BUILD:-build}")
command -v nvcc >/dev/null || skip_all "no nvcc"
labs=${LABS:-$(grep -l '^    baseline:' labs/*/lab.yaml solutions/*/hidden.yaml | cut -d / -f 2 | sort -u)}
[ -n "$labs" ] || skip_all "no lab has a baseline"
tmp=$(mktemp -d /tmp/baselines-XXXXXX)
chmod 711 "$tmp"
trap 'rm -rf "$tmp"' EXIT
make_lean_toolkit "$tmp/toolkit"
for lab in $labs; do
    for seed in 20261 1; do
        ! is_repeated "$lab" || { left_out 1 "baselines of another seed"; continue; }
        check "$lab: as the solution gives, seed $seed" "$BUILD/bin/grade" baselines --labs "$lab" --seed $seed
    done
done
make_kit_copy "$tmp/kit" 18-several-devices
cp solutions/18-several-devices/* "$tmp/kit/solutions/18-several-devices/" 2>/dev/null
sed -i 's/number: 674.023/number: 774.023/' "$tmp/kit/labs/18-several-devices/lab.yaml"
check "another number is told" bash -c "'$grade' baselines --labs 18-several-devices | grep 'speedup-two: timeline_us 674.* and the file says 774'"
"$grade" baselines --labs 18-several-devices >/dev/null
same "and is status 1" 1 $?
tap_end
