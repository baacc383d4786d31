#!/bin/bash
# The student bundle: everything that a student needs to work on the labs elsewhere, as sources, and nothing that gives answers away.
#
#   dist.sh          writes $BUILD/dist/cuda-lab-kit-student.tar.gz (BUILD defaults to build)
#   dist.sh --list   only the names of the sources in it, each with a NUL after it
#     LABS=a,b     with these labs alone
#     EXAM=1       for an examination: writes cuda-lab-kit-exam.tar.gz, in which the labs have no hints and one public case each (exam.pl)
#     EXPLAIN=1    writes cuda-lab-kit-explained.tar.gz, in which answers/ has for each lab the answers to the handout's questions, the solution and its notes: they lie
#                  there openly, on the honour system
#
# Beside the sources it has: as README.md the page for students; handouts/, the labs' handouts as HTML (made by pandoc); and in each lab's folder .starter/, the files as
# they were, by which `make submit` tells what is untouched. Left out: solutions, hidden cases, tests, fuzz targets, the benchmark of the grader, example submissions,
# templates, and what only instructors read. The archive is the same bytes for the same sources: names sorted, times and owners fixed.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
name=cuda-lab-kit-student labs=${LABS:-}
if [ -n "${EXAM:-}" ]; then name=cuda-lab-kit-exam; fi
if [ -n "${EXPLAIN:-}" ]; then
    [ -z "${EXAM:-}" ] || { echo "dist: an examination comes without answers: EXAM=1 or EXPLAIN=1" >&2; exit 2; }
    name=cuda-lab-kit-explained
fi

# The tracked files where this is a git checkout, all files but what was built otherwise (as .gitignore says: grader/build is a folder of sources).
list_files() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then git ls-files -z
    else
        find . \( -path './build*' -o -path './labs/*/build' -o -name node_modules -o -name .git \) -prune -o \
            -type f ! -name '*.o' ! -name '*.swp' -printf '%P\0'
    fi
}

keep() {
    local file
    while IFS= read -r -d '' file; do
        [ -f "$file" ] || continue
        [ -z "$labs" ] || [[ $file != labs/*/* ]] || [[ ,$labs, == *,"$(cut -d/ -f2 <<<"$file")",* ]] || continue
        case $file in
        solutions/* | */test/* | */fuzz/* | grader/bench/* | */template/* | grader/example-class/* | grader/attacks/*) ;;
        *hidden.yaml | *.tar.gz | */broken/* | */accepted/*) ;;
        docs/instructor* | docs/security* | docs/adding* | docs/site/* | docs/check/*) ;;
        docs/design-choices.md | docs/executors.md | docs/found-by.md | docs/outcomes.md | docs/releasing.md | docs/style.md | docs/words.txt) ;;
        Makefile | LICENSE | README.md | NEWS.md | .gitignore | .clang-format | common/* | grader/* | labs/*-*/* | docs/*) printf '%s\0' "$file" ;;
        esac
    done
}

if [ "${1:-}" = --list ]; then
    list_files | keep | LC_ALL=C sort -z
    exit
fi
command -v pandoc >/dev/null || { echo "dist: pandoc, which makes the handouts, is not installed; \`make setup-all\` installs it" >&2; exit 2; }
out=$build/dist
mkdir -p "$out"
out=$(realpath "$out")
# The kept files in a folder of their own, where exam.pl can change them.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
for lab in ${labs//,/ }; do [ -f "labs/$lab/lab.yaml" ] || { echo "dist: there is no lab $lab" >&2; exit 2; }; done
list_files | keep | tar --create --null --files-from=- | tar -x -C "$stage"
if [ -n "${EXAM:-}" ]; then
    rm -f "$stage"/labs/*/after*.md "$stage"/docs/{student*,architecture,contracts,lab-yaml}.md
    printf '# An examination\n\nIn a folder of `labs`, `make` builds, `make run` runs the case that you can see, and `make submit` packs what you hand in. Its README.md, or its page in `handouts`, is the task.\n' >"$stage/README.md"
    for file in "$stage"/labs/*/lab*.yaml "$stage"/labs/*/README*.md "$stage"/labs/*/Makefile "$stage"/common/mk/lab.mk; do perl common/starters/exam.pl "$file"; done
else
    for page in "$stage"/docs/student*.md; do mv "$page" "$stage/README${page##*/docs/student}"; done
fi

# The handouts, by the rules and filters of docs, which are the instructor's.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory -C "$stage" BUILD=build handout-pages >/dev/null
mkdir "$stage/handouts"
mv "$stage"/build/handouts/*.html "$stage/handouts"
rm -rf "$stage"/{build,docs/pandoc,docs/module.mk}
perl common/starters/student-pages.pl "$stage"
for lab in "$stage"/labs/*/; do
    mkdir -p "$lab/.starter"
    sed -n 's/^files: \[\(.*\)\]$/\1/p' "$lab/lab.yaml" | tr -d ' ' | tr , '\n' | while read -r file; do cp "$lab/$file" "$lab/.starter"; done
done

# LAB: what is told of its solution, in answers/LAB: the file that is handed in without markers, the questions with their answers, and the notes that are no secret.
explain() {
    local to=$stage/answers/$1 file
    mkdir -p "$to"
    for file in "$stage/labs/$1/.starter"/*; do sed -E '/^ *(\/\/|#)[@|]/d' "solutions/$1/${file##*/}" >"$to/${file##*/}"; done
    {
        printf '# Lab %s: the answers\n\nThis is on the honour system: nobody checks that you did the lab first, and who did not learns little here. What you hand in is your own work.\n\n## The questions\n' "${1%%-*}"
        sed -n '/^## Questions/,/^## /{/^## /!p}' "labs/$1/README.md"
        printf '## The answers\n'
        sed -n '/^## The questions of the handout/,/^## /{/^## /!p}' "solutions/$1/notes.md"
    } >"$to/answers.md"
    perl -ne '$keep = !/hidden cases|The contract|questions of the handout|Questions for the class|Correct and unusual|How the mistakes are found/ if /^## /; $keep = 0 if /^# /; print if $keep; print "# Notes on the solution of lab '"${1%%-*}"'\n\n" if /^# /' "solutions/$1/notes.md" >"$to/notes.md"
}
if [ -n "${EXPLAIN:-}" ]; then for lab in "$stage"/labs/*/; do explain "$(basename "$lab")"; done; fi

(cd "$stage" && find . -type f -printf '%P\0') | LC_ALL=C sort -z |
    tar --create --directory="$stage" --null --files-from=- --transform="s,^,$name/," --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner \
        --mode=u=rwX,go=rX | gzip -n9 >"$out/$name.tar.gz.new"
mv "$out/$name.tar.gz.new" "$out/$name.tar.gz"
echo "$out/$name.tar.gz: $(tar tzf "$out/$name.tar.gz" | wc -l) files, $(stat -c %s "$out/$name.tar.gz") bytes"
