#!/bin/bash
# grade run --device gpu --sanitize on a machine that seems to have a card: the toolkit's runtime is the virtual GPU's, and
# compute-sanitizer a script that says what the submission's own comments tell it to.
cd "$(dirname "$0")/../../.."
. grader/test/tap.sh
BUILD=$(realpath "${BUILD:-build}")
grade=$BUILD/bin/grade
[ -z "${SAN:-}" ] || skip_all "a sanitized runtime cannot stand in a program of another compiler"
command -v nvcc >/dev/null || skip_all "nvcc is not here"
command -v bwrap >/dev/null || skip_all "bubblewrap is not installed"
tmp=$(mktemp -d /tmp/sanitize-test-XXXXXX)
machine=$(mktemp -d /var/tmp/sanitize-machine-XXXXXX) # not below /tmp, which is another one in a sandbox
trap 'rm -rf "$tmp" "$machine"' EXIT
chmod 755 "$machine"
chmod 755 "$tmp"
lab=02-vector-add

nvcc=${CUDA_HOME:?}/bin/nvcc
mkdir -p "$machine"/dev "$tmp"/{toolkit/{bin,lib64,compute-sanitizer},class/{s001,s002}/$lab}
touch "$machine"/dev/nvidia{ctl,0,-uvm,-modeset}
mkdir -p "$machine/proc/driver/nvidia/gpus/0000:01:00.0"
printf 'Model: \t\t NVIDIA Z9\nIRQ: 1\n' >"$machine/proc/driver/nvidia/gpus/0000:01:00.0/information"
cat >"$tmp/toolkit/bin/nvcc" <<END
#!/bin/bash
for argument; do [ "\$argument" != -arch=native ] || argument=-arch=compute_75; all+=("\$argument"); done
exec $(realpath "$nvcc") "\${all[@]}"
END
cp "$BUILD/lib/vgpu/libcudart.so.13" "$tmp/toolkit/lib64"
ln -s libcudart.so.13 "$tmp/toolkit/lib64/libcudart.so"
printf '#!/bin/sh\nexec nothing\n' >"$tmp/toolkit/bin/compute-sanitizer" # as the toolkit's own, which only calls the other
cat >"$tmp/toolkit/compute-sanitizer/compute-sanitizer" <<'END'
#!/bin/bash
# Runs the program, then says the lines behind `// TOOL|` of its source.
for ((i = 1; i < $#; i++)); do
    [ "${!i}" != --tool ] || { j=$((i + 1)) && tool=${!j}; }
    [ "${!i}" != --log-file ] || { j=$((i + 1)) && log=${!j}; }
done
args=("$@")
"${args[@]: -2}" || exit 9
sed -n "s/^\/\/ $tool|//p" /src/*.cu | sed "s/DEVICES/$(echo $(ls MACHINE/dev))/" >"$log"
END
sed -i "s,MACHINE,$machine," "$tmp/toolkit/compute-sanitizer/compute-sanitizer"
chmod +x "$tmp"/toolkit/{bin,compute-sanitizer}/*

source=solutions/$lab/vector_add.cu
cat - $source >"$tmp/class/s001/$lab/vector_add.cu" <<'END'
// memcheck|========= COMPUTE-SANITIZER
// memcheck|========= Leaked 1,024 bytes at 0x7f0000000000
// memcheck|=========         Host Frame: vector_add in vector_add.cu:31 [0x1] in program
// memcheck|========= ERROR SUMMARY: 1 error
// racecheck|========= Error: Race reported between Write access at add(float *)+0x190 in vector_add.cu:23
// racecheck|=========     and Read access at add(float *)+0x2d0 in vector_add.cu:23 [8 hazards]
// racecheck|========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
// initcheck|========= ERROR SUMMARY: 0 errors
// synccheck|========= ERROR SUMMARY: 0 errors
END
cat - $source >"$tmp/class/s002/$lab/vector_add.cu" <<'END'
// memcheck|========= ERROR SUMMARY: 0 errors
// racecheck|========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)
// initcheck|========= Error: process didn't terminate successfully
// synccheck|========= Error: it sees DEVICES
END

on_gpu() { CUDA_HOME=$tmp/toolkit KIT_DOCTOR_ROOT=$machine "$grade" "$@"; }
result() { cat "$tmp/out/results/$1/$lab/result.json"; }
field() { python3 -c 'import json,sys; r=json.load(sys.stdin); c=r["cases"][0]; print(eval(sys.argv[1]))' "$2" < <(result "$1"); }

out=$(on_gpu run --device gpu --sanitize --public=1 --jobs 2 --seed 1 --submissions "$tmp/class" --out "$tmp/out" 2>&1)
same "the class is graded, and falls short" 1 "$?"
[ -e "$tmp/out/results/s001/$lab/result.json" ] || echo "$out" | sed 's/^/# /'
same "of the public cases the first one was run" "one-block" "$(field s001 '" ".join(c["name"] for c in r["cases"])')"
same "it ran on the machine's card" "gpu NVIDIA Z9" "$(field s001 'r["device"]["kind"] + " " + r["device"]["name"]')"
same "the graver finding is the verdict" race "$(field s001 'c["verdict"]')"
same "both are told" "leak race" "$(field s001 '" ".join(f["verdict"] for f in c["findings"])')"
same "a race has its place" "vector_add.cu 23 add(float *)" "$(field s001 '"%s %d %s" % [(f["file"], f["line"], f["kernel"]) for f in c["findings"] if f["kind"] == "race"][0]')"
same "a right result with a finding has half of the points" True "$(field s001 'c["points"] == c["max_points"] / 2')"
check "the student reads what the tool said" grep -q 'racecheck said: Error: Race reported' <(result s001)
same "a tool without a result costs nothing" "pass True" "$(field s002 'c["verdict"] + " " + str(c["points"] == c["max_points"])')"
check "and it is said" grep -q "initcheck gave no result (process didn't terminate successfully)" <(result s002)
check "of the device files it has those that it needs" grep -q "synccheck gave no result (it sees nvidia-uvm nvidia0 nvidiactl)" <(result s002)
check "the plan knows that the tools were there" grep -q 'sanitize all' "$tmp/out/plan.json"

says() { # TEXT COMMAND...
    local text=$1 said
    shift
    said=$("$@" 2>&1)
    [ $? = 2 ] && grep -qF -- "$text" <<<"$said" || { echo "$said"; return 1; }
}
arguments=(--submissions "$tmp/class" --out "$tmp/none")
check "so many public cases as there can be" says "--public takes a number of cases, not 'few'" on_gpu run --public=few "${arguments[@]}"
check "a scope of no name is refused" says "takes all, public or first" on_gpu run --device gpu --sanitize=most "${arguments[@]}"
check "auto is the card where there is one" says "takes all, public or first" on_gpu run --device auto --sanitize=most "${arguments[@]}"
check "and the virtual GPU elsewhere" says "is for --device gpu" env KIT_DOCTOR_ROOT="$tmp" "$grade" run --device auto --sanitize "${arguments[@]}"
check "the virtual GPU needs no tool" says "is for --device gpu" on_gpu run --sanitize "${arguments[@]}"
rm -r "$tmp"/toolkit/{bin/compute-sanitizer,compute-sanitizer}
check "without the tool it is said how to get it" says "cuda-sanitizer" env PATH="$(dirname "$(command -v bwrap)")" CUDA_HOME="$tmp/toolkit" KIT_DOCTOR_ROOT="$machine" "$grade" run --device gpu --sanitize "${arguments[@]}"
tap_end
