#!/bin/bash
# Grading on push: a bare repository whose hook grades, and what a student's commit can and cannot do there.
set -uo pipefail
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
. grader/test/quick-kit.sh
BUILD=$(realpath "$BUILD")
command -v git >/dev/null && command -v flock >/dev/null || skip_all "no git, or no flock"
tmp=$(mktemp -d /tmp/push-test-XXXXXX)
chmod 755 "$tmp"
trap 'rm -rf "$tmp"' EXIT
lab=02-vector-add
make_quick_kit "$tmp/kit" $lab
mkdir -p "$tmp/kit/grader/course"
cp grader/course/grade-push.sh "$tmp/kit/grader/course/"
cp solutions/$lab/hidden.yaml "$tmp/kit/solutions/$lab/"
weak=
"$grade" doctor 2>/dev/null | grep -q '^bubblewrap */' || weak=--allow-weak-sandbox
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=s001 GIT_AUTHOR_EMAIL=s001@example.org GIT_COMMITTER_NAME=s001 GIT_COMMITTER_EMAIL=s001@example.org
bare=$tmp/s001.git
git init -q --bare -b main "$bare"
cp grader/course/post-receive "$bare/hooks/"
for setting in student=s001 lab=$lab kit="$tmp/kit" class="$tmp/class" out="$tmp/out" options="--seed 1 --case one-block $weak"; do
    git -C "$bare" config "grade.${setting%%=*}" "${setting#*=}"
done
git init -q -b main "$tmp/clone"
hand_in_sum "$tmp/clone/vector_add.cu" "a[i] - b[i]"
push() { (cd "$tmp/clone" && git add -A && git commit -qm work && git push -q "$bare" HEAD:"${1:-main}") >"$tmp/pushed" 2>&1; }
push
check "a push is graded, and the pusher reads the verdict" grep -q "remote: .*wrong-result" "$tmp/pushed"
check "the result is kept" test -e "$tmp/out/results/s001/$lab/result.json"
hand_in_sum "$tmp/clone/vector_add.cu" "a[i] + b[i]"
push
check "the next push, too" grep -q "remote: .*no-gpu-work" "$tmp/pushed"
echo "// other" >>"$tmp/clone/vector_add.cu"
push other
check "another branch is not graded" bash -c "! grep -q 'no-gpu-work' '$tmp/pushed'"
# A commit with a hook, a link, an attribute and a workflow of its own: none of it does anything.
mkdir -p "$tmp/clone/hooks" "$tmp/clone/.github/workflows"
printf '#!/bin/sh\ntouch %s/ran\n' "$tmp" | tee "$tmp/clone/hooks/post-receive" >"$tmp/clone/Makefile"
cp "$tmp/clone/Makefile" "$tmp/clone/.github/workflows/grade.yml"
chmod +x "$tmp/clone/hooks/post-receive" "$tmp/clone/Makefile"
rm "$tmp/clone/vector_add.cu"
ln -s "$tmp/kit/solutions/$lab/hidden.yaml" "$tmp/clone/vector_add.cu"
push
check "a link to the hidden cases is not followed" bash -c "! grep -q 'seed:\|params' '$tmp/pushed'"
check "and what it was stays" bash -c "! grep -rq 'params' '$tmp/class'"
check "nothing of a commit is run" test ! -e "$tmp/ran"
for bad in "../s002 $lab" "s001 ../$lab" "s001 99-none"; do
    # shellcheck disable=SC2086
    GRADE_KIT=$tmp/kit GRADE_CLASS=$tmp/class GRADE_OUT=$tmp/out "$tmp/kit/grader/course/grade-push.sh" $bad "$bare" "$(git -C "$bare" rev-parse main)" >"$tmp/stdout" 2>&1
    same "refused: $bad" 2 $?
done
same "results are the grader's alone" "700 700" "$(stat -c %a "$tmp/class" "$tmp/out" | xargs)"
if python3 -c 'import yaml' 2>/dev/null; then
    for file in github-grade gitlab-grade; do
        check "$file.yml is YAML" python3 -c "import yaml, sys; yaml.safe_load(open(sys.argv[1]))" grader/course/$file.yml
    done
else
    skip "the workflows are YAML" "no yaml for python3"
fi
tap_end
