#!/bin/bash
# The bundle for machines with a GPU: its commands need no library of ours, and work where the kit is not; without a GPU the test
# says so; the sanitizer's reports are read.
set -uo pipefail
: "${BUILD:?}" "${KIT:?}"
n=0
result() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' <<<"${3:-}" | head -20; fi; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
command -v nvcc >/dev/null || { echo "1..0 # SKIP nvcc is not here"; exit 0; }
if [ -n "${SAN:-}" ]; then echo "1..0 # SKIP nothing links statically with sanitizers"; exit 0; fi

make -s -C "$KIT" BUILD="$BUILD" gpu-bundle >"$tmp/make" 2>&1
result $? "the bundle is made" "$(cat "$tmp/make")"
mv "$BUILD/gpu-bundle" "$tmp/bundle"
bundle=$tmp/bundle

for program in bin/grade bin/grade-runner bin/labtool bin/vgpu labs/02-vector-add/judge; do
    out=$(ldd "$bundle/build/$program" 2>&1)
    grep -q 'not a dynamic executable\|statically linked' <<<"$out"
    result $? "$program needs no library" "$out"
done
size=$(($(tar -C "$bundle" -cz . | wc -c) >> 20)) # what travels: packed
[ "$size" -lt 60 ]
result $? "it is small enough to be carried ($size MiB)"

mkdir -p "$tmp/class/s001/02-vector-add"
cp "$KIT/solutions/02-vector-add/vector_add.cu" "$tmp/class/s001/02-vector-add"
out=$("$bundle/build/bin/grade" run --allow-weak-sandbox --seed 1 --submissions "$tmp/class" --out "$tmp/out" 2>&1)
result $? "its grade grades on the virtual GPU" "$out"

if ! nvidia-smi -L >/dev/null 2>&1; then
    out=$("$bundle/test-gpu" "$tmp/results" 2>&1)
    [ $? = 2 ] && grep -q 'no GPU answers' <<<"$out"
    result $? "without a GPU the test says so" "$out"
fi

# A machine that seems to have a card, and a compiler that fails: what fails is told by name, in results.json too.
mkdir "$tmp/card"
printf '#!/bin/sh\n[ "$1" = -L ] && echo "GPU 0: NVIDIA Z9" || echo "NVIDIA Z9, 1.2"\n' >"$tmp/card/nvidia-smi"
printf '#!/bin/sh\n[ "$1" = --version ] && echo "release 13.0, V13.0.1"\n' >"$tmp/card/nvcc"
chmod +x "$tmp"/card/*
out=$(PATH=$tmp/card:$PATH LABS=02-vector-add "$bundle/test-gpu" "$tmp/results" optional ceilings 2>&1)
[ $? = 1 ] && grep -q '^0 passed, 1 failed, 0 skipped$' <<<"$out"
result $? "a part that fails fails the test" "$out"
same=$(jq -r '[.card, .driver, .toolkit, .parts[0].part, .parts[1].part, .parts[0].failed, .failures[0], .failed] | join("|")' "$tmp/results/results.json")
[ "$same" = "NVIDIA Z9|1.2|13.0|ceilings|optional|1|the ceilings|1" ]
result $? "results.json says of each part how it went" "$same"

# compute-sanitizer's words, as its tools print them, from a stand-in.
mkdir "$tmp/bin"
cat >"$tmp/bin/compute-sanitizer" <<'TOOL'
#!/bin/sh
echo "========= COMPUTE-SANITIZER"
case "$2" in
memcheck) echo "========= Invalid __global__ write of size 4 bytes"; echo "=========     at k(int*)+0x70 in k.cu:5"; echo "========= ERROR SUMMARY: 102 errors"; echo "========= ERROR SUMMARY: 2 errors were not printed. Use --print-limit option to adjust the number of printed errors" ;;
racecheck) echo "========= Error: Race reported between Write access at k and Read access"; echo "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)" ;;
*) echo "========= ERROR SUMMARY: 0 errors" ;;
esac
TOOL
chmod +x "$tmp/bin/compute-sanitizer"
says() { PATH=$tmp/bin:$PATH "$bundle/sanitize.sh" "$1" /bin/true /tmp; }
[ "$(says memcheck)" = $'memcheck\t102\tInvalid __global__ write of size 4 bytes' ]
result $? "memcheck's summary is read" "$(says memcheck)"
[ "$(says racecheck)" = $'racecheck\t1\tError: Race reported between Write access at k and Read access' ]
result $? "racecheck's summary, which is another one, is read" "$(says racecheck)"
[ "$(says synccheck)" = $'synccheck\t0\t' ]
result $? "a tool without a report counts none" "$(says synccheck)"
echo "1..$n"
