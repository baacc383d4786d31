#!/bin/bash
# A class graded on a cluster: a real SLURM of two nodes on this host, started and ended by this test. Whatever happens to its
# tasks, nodes and the grader itself, every result is the same bytes as with the local executor.
cd "$(dirname "$0")/../../.."
. grader/test/tap.sh
. grader/test/quick-kit.sh
. grader/test/cluster.sh
BUILD=$(realpath "${BUILD:-build}")
"$BUILD/bin/grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || skip_all "bubblewrap does not work here"
missing=$(cluster_missing)
# In a pid namespace of its own, so that whatever ends this test ends the cluster.
[ -n "$missing$IN_NAMESPACE" ] || IN_NAMESPACE=1 exec unshare -pf --kill-child --mount-proc "$BASH" "grader/class/test/slurm.t"
tmp=$(mktemp -d /tmp/slurm-XXXXXX)
chmod 755 "$tmp"
trap 'cluster_stop; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM HUP
lab=02-vector-add
make_quick_kit "$tmp/kit" $lab

# The class: answers right and wrong, build errors, nothing, the same ones, and some that take their time.
hand_in() { # STUDENT EXPRESSION
    hand_in_sum "$tmp/class/$1/$lab/vector_add.cu" "$2"
}
hand_in s001 "a[i] + b[i]"
hand_in s002 "a[i] - b[i]"
hand_in s003 "a[i] + "
mkdir -p "$tmp/class/s004"
hand_in s005 "a[i] + b[i]"
hand_in s006 "0"
for s in s007 s008 s009; do
    hand_in $s "(i == 0 ? (void)usleep(500000) : (void)0, a[i] + ${s#s0}${s: -1})"
    sed -i '1i #include <unistd.h>' "$tmp/class/$s/$lab/vector_add.cu"
done

run() { # OUT ARGUMENTS...
    local out=$1
    shift
    "$grade" run --submissions "$tmp/class" --out "$out" --case one-block --seed 5 "$@" >"$tmp/stdout" 2>"$tmp/stderr"
}
on_cluster() { # OUT ARGUMENTS...
    run "$@" --executor slurm
}
bytes() { # OUT: the hashes of its results and exports
    (cd "$1" && find results report -name result.json -o -name '*.html' | sort | xargs sha256sum)
    "$grade" export --out "$1" --format csv | sha256sum
}
marks() { # OUT
    find "$1/results" -name key 2>/dev/null | wc -l
}
wait_for_marks() { # OUT N
    for _ in $(seq 200); do
        [ "$(marks "$1")" -ge "$2" ] && return
        sleep 0.05
    done
}
jobs_of_grader() {
    squeue -h -r -o '%j %T' | grep -v COMPLETING | grep -c '^grade-'
}

run "$tmp/local" --jobs 2
same "with the local executor: status" 1 $?
wanted=$(bytes "$tmp/local")

# Before there is a cluster, and with one that loses whatever it is given.
SLURM_CONF=$tmp/none PATH=$tmp/kit/toolkit/bin:/usr/bin:/bin timeout 10 "$grade" run --submissions "$tmp/class" --out "$tmp/none" --seed 5 \
    --executor slurm --sbatch "--a-b $(printf -- '-x %.0s' $(seq 80))" >/dev/null 2>"$tmp/stderr"
check "without a controller: it is said" grep -q 'scancel failed' "$tmp/stderr"
run "$tmp/none" --sbatch --exclusive
check "options for sbatch alone: refused" grep -q 'are for --executor slurm' "$tmp/stderr"

mkdir "$tmp/bad"
printf '#!/bin/sh\necho 7\n' >"$tmp/bad/sbatch"
printf '#!/bin/sh\n' | tee "$tmp/bad/squeue" >"$tmp/bad/scancel"
chmod +x "$tmp/bad"/*
PATH=$tmp/bad:$PATH on_cluster "$tmp/never" --students s001,s002
same "a cluster that loses all: status" 2 $?
same "a cluster that loses all: tries" 5 "$(ls -d "$tmp"/never/slurm/run-*/array-* | wc -l)"
same "a cluster that loses all: shorter tasks at the end" 1 "$(tail -n 1 "$tmp"/never/slurm/run-*/array-5/tasks | cut -f 1)"
check "a cluster that loses all: the result says so" grep -q 'ended its task 5 times' "$tmp/never/results/s002/$lab/result.json"
check "a cluster that loses all: at the kit's fault" grep -q '"verdict": "kit-error"' "$tmp/never/results/s002/$lab/result.json"

[ -z "$missing" ] || { echo "ok $((++tap_n)) # SKIP $missing"; tap_end; }
cluster_start "$tmp/c"
same "the cluster starts" 0 $?

on_cluster "$tmp/one" --per-task 3
same "on the cluster: status" 1 $?
same "on the cluster: the bytes of the local executor" "$wanted" "$(bytes "$tmp/one")"
same "identical ones are graded once" 1 "$(grep -c 'as an identical one' "$tmp/stderr")"
same "the tasks' files are removed" "" "$(ls -d "$tmp/one/slurm" 2>/dev/null)"
on_cluster "$tmp/one"
check "once more: nothing is graded" grep -q 'all 9 results are there from before' "$tmp/stderr"

# A task that is cancelled, and a node that dies, while submissions are under way there.
on_cluster "$tmp/lost" --per-task 4 &
run_pid=$!
wait_for_marks "$tmp/lost" 1
first=$(squeue -h -r -t RUNNING -o %i | head -n 1)
check "a task is cancelled" scancel "$first"
wait_for_marks "$tmp/lost" 4
cluster_kill_node n1
same "a node dies" 0 $?
wait $run_pid
same "tasks were lost: status" 1 $?
same "tasks were lost: the same bytes" "$wanted" "$(bytes "$tmp/lost")"
check "they were submitted again" bash -c "sed -n 's/.*JobId=\([0-9]*\)_.*/\1/p' '$tmp/c/slurmctld.log' | sort -u | wc -l | grep -qx '[3-9]'"
same "no task is left" 0 "$(jobs_of_grader)"

cluster_start_node n1
cluster_wait_idle
same "the node comes back" 0 $?

# The grader is killed, and leaves its tasks; the same command goes on.
on_cluster "$tmp/killed" --per-task 2 &
run_pid=$!
wait_for_marks "$tmp/killed" 2
kill -KILL $(pgrep -f "$tmp/kit/build/bin/[g]rade run") 2>/dev/null
wait $run_pid 2>/dev/null
before=$(marks "$tmp/killed")
check "killed: something is there, not all ($before)" test "$before" -ge 2 -a "$before" -lt 8
check "killed: its tasks are still there" test "$(jobs_of_grader)" -gt 0
old=$(ls -d "$tmp"/killed/slurm/run-*)
(while sleep 0.1; do mkdir -p "$old" && echo "node n1: a task of the killed run, which is just ending" | tee "$old/problem" >"$tmp/killed/slurm/problem"; done 2>/dev/null) &
late=$!
mkdir "$tmp/hasty" # its scancel ends tasks, and fails, as where one of them ended by itself in between
printf '#!/bin/sh\n%s "$@"\n[ "$1" = --quiet ] && mkdir "%s/once" 2>/dev/null && exit 1\nexit 0\n' "$(command -v scancel)" "$tmp/hasty" >"$tmp/hasty/scancel"
chmod +x "$tmp/hasty/scancel"
PATH=$tmp/hasty:$PATH on_cluster "$tmp/killed" --per-task 2
status=$?
kill $late
wait $late 2>/dev/null
rm -rf "$tmp/killed/slurm"
[ $status = 1 ] || sed "s/^/# /" "$tmp/stderr"
same "killed and started again, with a task that ends late: status" 1 $status
same "killed and started again: the same bytes" "$wanted" "$(bytes "$tmp/killed")"
same "no task is left" 0 "$(jobs_of_grader)"

# Ctrl-C.
on_cluster "$tmp/stopped" --per-task 1 --students s007,s008 &
run_pid=$!
wait_for_marks "$tmp/stopped" 1
kill -INT $(pgrep -f "$tmp/kit/build/bin/[g]rade run")
wait $run_pid
same "Ctrl-C: status" 2 $?
check "Ctrl-C: how far it was" grep -q 'stopped after' "$tmp/stderr"
same "Ctrl-C: no task is left" 0 "$(jobs_of_grader)"

# A regrade works there, too; a node that would judge by other rules does not.
"$grade" regrade --submissions "$tmp/class" --out "$tmp/one" --case one-block --students s001,s006 --executor slurm >"$tmp/stdout" 2>"$tmp/stderr"
same "regrade: status" 1 $?
check "regrade: nothing changes" grep -q '^0 of 2 results change' "$tmp/stdout"
sed -i 's/release 0.0/release 0.$([ -z "$SLURM_JOB_ID" ]; echo $?)/' "$tmp/kit/toolkit/bin/nvcc"
on_cluster "$tmp/other" --students s001
same "a node with another compiler: status" 2 $?
check "a node with another compiler: named" grep -q "node n[12]: it would judge by other rules.*the compiler (was: nvcc 0.0; is: nvcc 0.1)" "$tmp/stderr"
same "a node with another compiler: no result" 0 "$(marks "$tmp/other")"
tap_end
