#!/bin/bash
# Makes autograders for Gradescope: for each lab a zip to be uploaded under "Configure Autograder".
#
#   gradescope.sh        BUILD; LABS: names, separated by blanks or commas (default: all labs with hidden cases); SEED
#
# A zip holds setup.sh, run_autograder, autograder.conf (lab and seed), and kit/: the sources as students have them, and of
# solutions/ the lab's hidden.yaml alone. The seed, from which hidden cases draw theirs, is drawn here where SEED does not say: all
# submissions to one upload get the same hidden cases. With a SEED the same sources give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
labs=${LABS//,/ }
[ -n "$labs" ] || labs=$(cd solutions && ls -d [0-9][0-9]-*)
command -v zip >/dev/null || { echo "gradescope: zip is missing (\`make setup-all\`)" >&2; exit 2; }
seed=${SEED:-$(($(od -An -N8 -tu8 /dev/urandom | tr -d ' ' | cut -c1-15)))}
[[ $seed =~ ^[0-9]{1,15}$ ]] || { echo "gradescope: SEED must be a whole number below 10^15" >&2; exit 2; }
out=$build/gradescope
mkdir -p "$out"
out=$(realpath "$out")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

mkdir "$tree/kit"
common/starters/dist.sh --list | tar --create --null --files-from=- | tar --extract --directory="$tree/kit"
install -m 755 grader/course/setup.sh grader/course/run_autograder "$tree"
for lab in $labs; do
    hidden=solutions/$lab/hidden.yaml
    [ -e "$hidden" ] || { echo "gradescope: there is no $hidden" >&2; exit 2; }
    rm -rf "$tree/kit/solutions"
    install -D -m 600 "$hidden" "$tree/kit/$hidden"
    printf 'lab=%s\nseed=%s\n' "$lab" "$seed" >"$tree/autograder.conf"
    find "$tree" -exec touch -h -d @315532800 {} +
    rm -f "$out/$lab.zip"
    (cd "$tree" && find . -type f -printf '%P\n' | LC_ALL=C sort | TZ=UTC zip -q -X -@ "$out/$lab.zip")
    echo "$out/$lab.zip: $(stat -c %s "$out/$lab.zip") bytes"
done
