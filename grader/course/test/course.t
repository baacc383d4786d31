#!/bin/bash
# What a course takes from the kit: Gradescope's autograder in a root of its own, with and without a sandbox; the container file, the
# workflow and the Kubernetes job as far as they can be read without running them.
#
# The autograder's kit is a copy whose compiler is g++ on plain C++: what is judged here is the way from a submission to results.json.
cd "$(dirname "$0")/../../.."
. grader/test/tap.sh
. grader/test/readers.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "${BUILD:-build}")
command -v zip >/dev/null && command -v unzip >/dev/null || skip_all "no zip and unzip"
tmp=$(mktemp -d /tmp/course-test-XXXXXX)
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT
lab=02-vector-add
refuses() { ! "$@"; }
skip() { echo "ok $((++tap_n)) # SKIP $1"; }

# The bundle.
bundle() { # SEED
    make -s BUILD="$tmp/build" LABS=$lab SEED="$1" gradescope >"$tmp/stdout" 2>&1
}
bundle 7
same "the bundle is made" 0 $?
zip=$tmp/build/gradescope/$lab.zip
was=$(sha256sum <"$zip")
bundle 7
same "again: the same bytes" "$was" "$(sha256sum <"$zip")"
bundle ""
check "without SEED: another" test "$was" != "$(sha256sum <"$zip")"
same "of solutions it holds the lab's hidden cases alone" "kit/solutions/$lab/hidden.yaml" "$(unzip -Z1 "$zip" | grep -E 'solutions/|hidden\.yaml|broken/|accepted/')"
same "no lab without hidden cases" 2 "$(make -s BUILD="$tmp/build" LABS=77-none gradescope >/dev/null 2>&1; echo $?)"

# A root as Gradescope has it.
root=$tmp/autograder
mkdir -p "$root"/{source,submission}
(cd "$root/source" && unzip -q "$zip")
check "setup.sh and run_autograder can be run" test -x "$root/source/setup.sh" -a -x "$root/source/run_autograder"
make_quick_kit "$root/source/kit" $lab
export AUTOGRADER=$root

# setup.sh, with stand-ins for what it calls.
mkdir "$tmp/bin"
for name in apt-get make; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n' $name "$tmp" >"$tmp/bin/$name"
done
printf '#!/bin/sh\necho "Cuda compilation tools, release 13.0, V13.0.48"\n' >"$tmp/bin/nvcc"
chmod +x "$tmp"/bin/*
PATH=$tmp/bin:$PATH "$root/source/setup.sh" >"$tmp/stdout" 2>&1
same "setup.sh: status" 0 $?
check "setup.sh: builds the kit" grep -q "^make -C $root/source/kit " "$tmp/calls"
same "setup.sh: hidden cases, seed and judge are root's" "700 600 700" \
    "$(stat -c %a "$root/source/kit/solutions" "$root/source/autograder.conf" "$root/source/kit/build/labs/$lab/judge" | xargs)"

run() { # ARGUMENTS OF env...
    rm -rf "$root/results"
    env "$@" "$root/source/run_autograder" >"$tmp/stdout" 2>&1
}
verdicts() { jq -r '[.tests[].output | split("\n")[0]] | unique | join(" ")' "$root/results/results.json"; }
modes=("BWRAP=/nonexistent")
"$BUILD/bin/grade" doctor 2>/dev/null | grep -q '^bubblewrap */' && modes+=("BWRAP=")
root_now=$([ "$(id -u)" = 0 ] && echo yes)
for mode in "${modes[@]}"; do
    rm -rf "$root/submission" && mkdir "$root/submission"
    hand_in_sum "$root/submission/vector_add (1).cu" "a[i] - b[i]"
    echo x >"$root/submission/notes.exe"
    run "$mode"
    same "$mode: status" 0 $?
    check "$mode: results.json is one" reads_gradescope "$root/results/results.json"
    check "$mode: wrong answers are found" grep -q wrong-result <<<"$(verdicts)"
    alone=$(verdicts)
    check "$mode: hidden cases are there, without data" jq -e --arg seed "$(sed -n 's/^seed=//p' "$root/source/autograder.conf")" \
        '(.tests | length) > 10 and (tostring | contains($seed) | not) and (.score | type) == "number"' "$root/results/results.json"
    case $mode in
    BWRAP=) check "$mode: nothing is said of isolation" refuses grep -q 'reduced isolation' "$root/results/results.json" ;;
    *) check "$mode: reduced isolation is said" grep -q 'Graded with reduced isolation' "$root/results/results.json" ;;
    esac
    check "$mode: what was not taken is listed" grep -q 'not taken: .*notes.exe' "$tmp/stdout"

    # Without a sandbox and without root there is nobody else to run as.
    if [ "$mode" = BWRAP=/nonexistent ] && [ -z "$root_now" ]; then
        skip "$mode: not root"
        continue
    fi
    # A program that looks for what is not its own ends itself when it finds any of it.
    hand_in_sum "$root/submission/vector_add.cu" "a[i] - b[i]"
    rm "$root/submission/vector_add (1).cu"
    sed -i -e "s,^int vector_add,#include <stdio.h>\n#include <stdlib.h>\n&,
        s,^    for,    static const char *const paths[] = {\"$root/source/autograder.conf\"\, \"$root/source/kit/solutions/$lab/hidden.yaml\"\, \"$root/source/kit/build/labs/$lab/judge\"};\n    for (int k = 0; k < 3; k++) if (fopen(paths[k]\, \"r\")) abort();\n    if (fopen(\"$root/results/results.json\"\, \"w\")) abort();\n&," "$root/submission/vector_add.cu"
    run "$mode"
    same "$mode: hidden cases, seed and judge cannot be read, nor results written" "$alone" "$(verdicts)"
done
if [ -n "$root_now" ] || [ ${#modes[@]} = 2 ]; then
    sed -i 's,fopen(paths\[k\]\, "r"),fopen("/etc/passwd"\, "r"),' "$root/submission/vector_add.cu"
    run BWRAP=/nonexistent
    check "the same program ends where it finds a file" refuses grep -q wrong-result <<<"$(verdicts)"
fi

rm -rf "$root/submission" && mkdir "$root/submission"
ln -s /etc/passwd "$root/submission/vector_add.cu"
run "${modes[-1]}"
same "a link: status" 0 $?
check "a link is not followed" grep -q 'symbolic link' "$tmp/stdout"
same "a link: nothing was submitted" "not-submitted 0" "$(verdicts) $(jq ".score + 0" "$root/results/results.json")"
check "a link: results.json is one" reads_gradescope "$root/results/results.json"
mv "$root/source/kit/build/labs/$lab/judge" "$tmp/judge"
hand_in_sum "$root/submission/x/vector_add.cu" "a[i] + b[i]"
rm "$root/submission/vector_add.cu"
run "${modes[-1]}"
same "a kit that fails: status" 1 $?
check "a kit that fails: no results, so that nobody loses points" test ! -e "$root/results/results.json"
mv "$tmp/judge" "$root/source/kit/build/labs/$lab/judge"

# Container and workflow.
for name in $(sed -n 's,.*/opt/cuda-lab-kit/\([a-z/.-]*\).*,\1,p' grader/course/Containerfile); do
    check "the container file's $name is in the student bundle" grep -qzx "$name" <(common/starters/dist.sh --list)
done
if python3 -c 'import yaml' 2>/dev/null; then
    check "the workflow is YAML with a job" python3 -c '
import yaml
w = yaml.safe_load(open("grader/course/github-actions.yml"))
assert w["permissions"] == {"contents": "read"} and w[True]
for job in w["jobs"].values():
    assert job["runs-on"] and job["timeout-minutes"] and all(("run" in s) != ("uses" in s) for s in job["steps"])
    open("'"$tmp"'/steps.sh", "w").write("\n".join(s["run"] for s in job["steps"] if "run" in s))'
    check "its steps are bash" bash -n "$tmp/steps.sh"
    mkdir "$tmp/repository" "$tmp/runner"
    cp labs/$lab/* "$tmp/repository/" 2>/dev/null
    cat >"$tmp/bin/grade" <<END
#!/bin/sh
echo "\$1 \$(basename "\$2") \$(test -e "\$2/lab.yaml" && echo there)"
END
    chmod +x "$tmp/bin/grade"
    (cd "$tmp/repository" && PATH=$tmp/bin:$PATH RUNNER_TEMP=$tmp/runner bash -e "$tmp/steps.sh") >"$tmp/stdout" 2>&1
    same "its first step checks the lab under its name" "check $lab there" "$(head -n 1 "$tmp/stdout")"
    job_is_fine() { python3 grader/course/test/job_rules.py "$1" >"$tmp/command"; }
    check "the Kubernetes job keeps to the rules" job_is_fine grader/course/kubernetes.yaml
    while read -r change; do # the controls: each of these is refused
        sed "$change" grader/course/kubernetes.yaml >"$tmp/job.yaml"
        check "refused: $change" refuses job_is_fine "$tmp/job.yaml" 2>/dev/null
    done <<'END'
s/restartPolicy: Never/restartPolicy: Always/
s/nvidia.com\/gpu: 1/nvidia.com\/gpus: 1/
s/nvidia.com\/gpu: 1/nvidia.com\/gpu: 0.5/
s/backoffLimit/backofLimit/
s/claimName: course/claimName: course\n        - name: course/
s/hostUsers: false/hostUsers: true/
END
    job_is_fine grader/course/kubernetes.yaml
    mkdir -p "$tmp/class/s001" "$tmp/no-machine/dev"
    mapfile -t command < <(sed "s,^/course/kit/build,$BUILD,; s,=/course/class,=$tmp/class,; s,=/course/graded,=$tmp/graded," "$tmp/command")
    check "grade takes the job's command, up to the card that is not here" grep -q 'no GPU answers' <(KIT_DOCTOR_ROOT=$tmp/no-machine "${command[@]}" 2>&1)
else
    skip "no python3 with yaml to read the workflow and the Kubernetes job with"
fi
mkdir -p "$tmp/kit/build/bin" && printf '#!/bin/sh\necho "$@"\n' >"$tmp/kit/build/bin/grade" && chmod +x "$tmp/kit/build/bin/grade"
same "the job of a SLURM cluster calls grade" "run --submissions $tmp/class --out $tmp/graded --device gpu --jobs 8 --sanitize=first --seed 3" \
    "$(KIT=$tmp/kit CLASS=$tmp/class OUT=$tmp/graded OPTIONS='--sanitize=first --seed 3' SLURM_CPUS_PER_TASK=8 grader/course/gpu-node.sbatch)"
check "it wants to know which class" refuses env KIT="$tmp/kit" OUT="$tmp/graded" grader/course/gpu-node.sbatch
if command -v shellcheck >/dev/null; then
    check "shellcheck has nothing to say" shellcheck -S warning grader/course/gpu-node.sbatch grader/course/gradescope.sh grader/course/setup.sh grader/course/run_autograder
else
    skip "no shellcheck"
fi
if command -v hadolint >/dev/null; then
    check "hadolint has nothing to say" hadolint grader/course/Containerfile grader/course/Containerfile.clang
else
    skip "no hadolint to lint the container file with"
fi
tap_end
