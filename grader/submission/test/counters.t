#!/bin/bash
# Answers about counters in a run on a GPU, on a machine that seems to have a card: the toolkit's runtime is the virtual GPU's, nvcc gives an object that was
# made before, and ncu is a script that does what the submission's own answer file tells it to.
cd "$(dirname "$0")/../../.." || exit 2
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "${BUILD:-build}")
[ -z "${SAN:-}" ] || skip_all "a sanitized runtime cannot stand in a program of another compiler"
command -v nvcc >/dev/null || skip_all "nvcc is not here"
command -v bwrap >/dev/null || skip_all "bubblewrap is not installed"
tmp=$(mktemp -d /tmp/counters-test-XXXXXX)
machine=$(mktemp -d /var/tmp/counters-machine-XXXXXX) # not below /tmp, which is another one in a sandbox
trap 'rm -rf "$tmp" "$machine"' EXIT
chmod 755 "$machine" "$tmp"
lab=19-profiling-and-roofline
toolkit=$tmp/kit/toolkit

make_kit_copy "$tmp/kit" $lab
sed -i 's/n: 1000000/n: 4000/' "$tmp/kit/labs/$lab/lab.yaml"
cp solutions/$lab/hidden.yaml "$tmp/kit/solutions/$lab"
mkdir -p "$toolkit"/{bin,lib64} "$machine/dev" "$machine/proc/driver/nvidia/gpus/0000:01:00.0"
touch "$machine"/dev/nvidia{ctl,0,-uvm}
printf 'Model: \t\t NVIDIA Z9\nIRQ: 1\n' >"$machine/proc/driver/nvidia/gpus/0000:01:00.0/information"
echo 'RmProfilingAdminOnly: 1' >"$machine/proc/driver/nvidia/params"
cp "$BUILD/lib/vgpu/libcudart.so.13" "$toolkit/lib64"
ln -s libcudart.so.13 "$toolkit/lib64/libcudart.so"
"${CUDA_HOME:?}/bin/nvcc" -arch=compute_75 -lineinfo -I labs/$lab -I common/lab -c solutions/$lab/profiling_and_roofline.cu -o "$toolkit/made.o" || exit 2
cat >"$toolkit/bin/nvcc" <<'END'
#!/bin/bash
# Of what only one of the two builds can compile, the other fails.
[ "$1" != --version ] || { echo 'Cuda compilation tools, release 13.0, V13.0.88'; exit; }
while [ $# -gt 1 ]; do
    case $1 in
    -arch=compute_75) ! grep -q 'for this card alone' /src/*.cu || { echo 'error: no'; exit 1; } ;;
    -o) cp "$(dirname "$(realpath "$0")")/../made.o" "$2" ;;
    esac
    shift
done
END
cat >"$toolkit/bin/ncu" <<'END'
#!/bin/bash
# Runs the program, then writes a page: a launch of scale with 4,000 elements, as the card of the answer file's comment counts it.
for ((i = 1; i < $#; i++)); do
    [ "${!i}" != --log-file ] || { j=$((i + 1)) && log=${!j}; }
    [ "${!i}" != --metrics ] || { j=$((i + 1)) && metrics=${!j}; }
done
args=("$@")
"${args[@]: -2}" || exit 9
[ "$metrics" = smsp__sass_thread_inst_executed_op_fadd_pred_on.sum,smsp__sass_thread_inst_executed_op_fmul_pred_on.sum,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,dram__bytes_read.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum ] || exit 8
page() { # FFMA
    echo '==PROF== Connected to process 7'
    echo "\"ID\",\"Kernel Name\",\"${metrics//,/\",\"}\""
    echo '"","","inst","inst","inst","byte","sector"'
    echo "\"0\",\"scale_kernel\",\"0\",\"0\",\"$1\",\"32,256\",\"500\""
}
case $(sed -n 's/^# ncu //p' /src/roofline.yaml) in
exact) page 4,000 >"$log" ;;
near) page 4,160 >"$log" ;;
double) page 8,000 >"$log" ;;
twice) { page 4,000; page 4,000 | tail -1 | sed 's/"0"/"1"/'; } >"$log" ;;
refused) echo '==ERROR== ERR_NVGPUCTRPERM - no permission' | tee "$log"; exit 1 ;;
garbage) { page 4,000; echo 'I was here'; } >"$log" ;;
long) head -c 9000000 /dev/zero >"$log" ;;
killed) page 4,000 >"$log.part"; kill -9 $$ ;;
esac
END
chmod +x "$toolkit"/bin/*

# STUDENT MODE FLOPS: the solution's files, with that answer about scale.
hand_in() {
    local folder=$tmp/class/$1/$lab
    mkdir -p "$folder"
    cp solutions/$lab/profiling_and_roofline.cu "$folder"
    { echo "# ncu $2"; printf 'scale: {flops: %s, read: 32000, written: 16000, intensity: %s, limit: %s, gain_16: 2}\n' "$3" "$(awk "BEGIN { print $3 / 48000 }")" "$4"; } >"$folder/roofline.yaml"
}
on_gpu() { CUDA_HOME=$toolkit KIT_DOCTOR_ROOT=$machine "$grade" "$@"; }
grade_case() { # CASE OUT
    on_gpu run --device gpu --case "$1" --jobs 2 --seed 1 --labs $lab --submissions "$tmp/class" --out "$tmp/$2" >"$tmp/log" 2>&1
    [ $? -lt 2 ] || sed 's/^/# /' "$tmp/log"
}
field() { # OUT STUDENT EXPRESSION
    python3 -c 'import json,sys; r=json.load(open(sys.argv[1])); c=r["cases"][0]; m=c["metrics"]; print(eval(sys.argv[2]))' "$tmp/$1/results/$2/$lab/result.json" "$3"
}
verdict() { field "${2:-out}" "$1" 'c["verdict"] + " %g" % c["points"]'; }
says() { grep -qF -- "$2" "$tmp/${3:-out}/results/$1/$lab/result.json"; }
limit=overhead # of 4,000 elements on the modelled card

hand_in s001 exact 8000 $limit
hand_in s002 exact 4000 $limit
hand_in s003 near 8320 $limit
hand_in s004 refused 8320 $limit
hand_in s005 double 16000 $limit
hand_in s006 garbage 8000 $limit
hand_in s007 long 8000 $limit
hand_in s008 killed 8000 $limit
hand_in s009 twice 8000 $limit
hand_in s010 exact 8000 $limit
echo '// for this card alone' >>"$tmp/class/s010/$lab/profiling_and_roofline.cu"
grade_case scale out

same "right answers have their points" "pass 8" "$(verdict s001)"
check "the student reads that ncu measured, and on what" says s001 "Its counters were also measured by ncu, on the NVIDIA Z9."
same "the result has the card's numbers beside the virtual GPU's" "8000 32256 16000 True" "$(field out s001 '"%d %d %d %s" % (m["ncu_flops32"], m["ncu_dram_read_bytes"], m["ncu_dram_write_bytes"], m["sector_efficiency"] > 0 and list(m) == sorted(m))')"
same "the run is one on the card" "gpu NVIDIA Z9" "$(field out s001 'r["device"]["kind"] + " " + r["device"]["name"]')"
same "a wrong one has not, the others have" "wrong-result 4" "$(verdict s002)"
check "and it is said what to think about" says s002 "scale.flops, line 2: 4000 is not right: count the operations of one element"
same "what the card counted is right, a little beside the virtual GPU's count" "pass 8" "$(verdict s003)"
same "the same answers without the card's count are wrong" "wrong-result 4" "$(verdict s004)"
check "why there is none is said" says s004 "ncu gave none (the driver shows them to the administrator alone (ERR_NVGPUCTRPERM))"
same "a report that is far from the virtual GPU's count makes nothing right" "wrong-result 4" "$(verdict s005)"
check "and that it does not count is said" says s005 "ncu's flops32 is another number, and does not count."
for row in "s006 a line of its report is none of ncu's: I was here" "s007 its report is too long" "s008 it was ended by signal 9" "s009 it saw other launches than the virtual GPU"; do
    read -r student reason <<<"$row"
    same "right answers have their points without ncu: $reason" "pass 8" "$(verdict "$student")"
    check "which is said" says "$student" "ncu gave none ($reason)"
done
same "what cannot be built for the virtual GPU has no points" "build-error 0" "$(verdict s010)"
check "the doctor knows it, too" grep -A1 "^profiler *$toolkit/bin/ncu" <(on_gpu doctor)
check "and whom the driver shows counters" grep "shows counters to the administrator alone" <(on_gpu doctor)

rm -r "$tmp"/class/s0{02,03,04,05,06,07,08,09,10} "$toolkit/bin/ncu"
echo 'card: {ridge: 25.44}' >>"$tmp/class/s001/$lab/roofline.yaml"
PATH=$(dirname "$(command -v bwrap)")
grade_case scale none
same "without ncu the virtual GPU's counters are the truth" "pass 8" "$(verdict s001 none)"
check "which is said" says s001 "Nsight Compute is not on this machine" none
grade_case card card
same "a case about a modelled card is judged on the virtual GPU" "pass 6" "$(verdict s001 card)"
check "which is said" says s001 "This case is about a card that the virtual GPU models, and was run there." card
grade_case speeds-sectors sectors
same "one that only needs the virtual GPU's counters is not" "inconclusive 3" "$(verdict s001 sectors)"
tap_end
