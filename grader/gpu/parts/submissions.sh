# shellcheck shell=bash disable=SC2154
# What right submissions get, and what the sandbox shows of the machine: test-gpu's parts `submissions`, `sandbox` and `optional`.
# submissions.tsv: lab, submission, verdict, points, of how many: solutions with all their cases, accepted variants with the first three public ones (ACCEPTED=N: so many, all: with all, hidden ones too).
# doctor.txt, sandbox.txt: what `grade doctor` says here, and the layers that were active. inside.txt: what a program in the sandbox sees of the machine.

# STUDENT LAB [VARIANT]: the lab's solution as that student's, with the variant's files in it.
hand_in() {
    local folder=$work/class-$1/$2 lab=$2 variant=${3:-} files
    mapfile -t files < <(build/bin/labtool files "labs/$lab")
    mkdir -p "$folder"
    (cd "solutions/$lab" && cp "${files[@]}" "$folder/")
    if [ -d "$variant" ]; then cp "$variant"/* "$folder/"
    elif [ -n "$variant" ]; then cp "$variant" "$folder/${files[0]}"; fi
}
value_of() { sed -n "s/^ *\"$2\": *\"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1" | head -1; }

# WHICH OPTION...: grades the class of that name.
grade_class() {
    local which=$1
    shift
    build/bin/grade run --device gpu --allow-weak-sandbox --jobs "$processors" --seed 1 --submissions "$work/class-$which" --out "$work/graded-$which" "$@" \
        >"$work/grade.log" 2>&1
    [ $? -lt 2 ] || { bad "grade run ($which)"; tail -5 "$work/grade.log"; }
}

check_submission() { # RESULT
    local lab student verdict score most
    lab=$(value_of "$1" lab) student=$(value_of "$1" student) verdict=$(value_of "$1" verdict) score=$(value_of "$1" score) most=$(value_of "$1" max_score)
    printf '%s\t%s\t%s\t%s\t%s\n' "$lab" "$student" "$verdict" "$score" "$most" >>"$out/submissions.tsv"
    if [ "${score%.0}" = "${most%.0}" ]; then ok; else bad "$lab $student: $score of $most points, $verdict"; cp "$1" "$out/failed-$lab-$student.json"; fi
}

part_submissions() {
    local lab student file result first scope=''
    : >"$out/submissions.tsv"
    build/bin/grade doctor >"$out/doctor.txt" 2>&1
    for lab in $labs; do
        hand_in solutions/solution "$lab"
        for file in solutions/"$lab"/accepted/*; do
            [ ! -e "$file" ] || hand_in "accepted/$(basename "$file" .cu)" "$lab" "$file"
        done
    done
    grade_class solutions
    echo "solutions ($SECONDS s)"
    [ "${ACCEPTED:-3}" = all ] || scope=--public=${ACCEPTED:-3}
    [ ! -d "$work/class-accepted" ] || grade_class accepted ${scope:+"$scope"}
    for result in "$work"/graded-solutions/results/*/*/result.json "$work"/graded-accepted/results/*/*/result.json; do
        lab=$(basename "$(dirname "$result")") student=$(basename "$(dirname "$(dirname "$result")")")
        [ ! -e "$work/class-solutions/$student/$lab" ] && [ ! -e "$work/class-accepted/$student/$lab" ] || check_submission "$result"
    done
    sort -o "$out/submissions.tsv" "$out/submissions.tsv"
    first=$(find "$work/graded-solutions" -name result.json | sort | head -1)
    [ -z "$first" ] || sed -n '/"sandbox"/,/]/p' "$first" >"$out/sandbox.txt"
}

# A submission that looks around before it adds, and says what it sees.
part_sandbox() {
    local name seen lab=02-vector-add
    mkdir -p "$work/class-inside/s001/$lab"
    { echo "#define MORE_PLACES \"$here\", \"$work\","; cat look-around.cu; } >"$work/class-inside/s001/$lab/vector_add.cu"
    grade_class inside --case one-block
    # The message in result.json is one line; \n in it is two characters.
    grep -h '"message"' "$work"/graded-inside/results/s001/$lab/result.json | head -1 | sed 's/\\n/\n/g' | grep '^[a-z]*: ' >"$out/inside.txt"
    cat "$out/inside.txt"
    seen=" $(sed -n 's/^dev: //p' "$out/inside.txt" | tr '\n' ' ') "
    for name in nvidiactl nvidia0 null; do # the control: it looked, and what it needs is there
        if [[ $seen = *" $name "* ]]; then ok; else bad "inside there is no /dev/$name"; fi
    done
    for name in $seen; do
        case $name in
        nvidiactl | nvidia[0-9]* | nvidia-uvm | nvidia-uvm-tools | nvidia-caps* | null | zero | full | random | urandom | tty | console | core | fd | stdin | stdout | stderr | ptmx | pts | shm) ;;
        *) bad "inside there is /dev/$name" ;;
        esac
    done
    for name in /root /home /etc/passwd /sys /run /var "$here" "$work" /dev/mem /dev/kmsg /dev/nvidia-modeset; do
        if grep -qx "opens: $name" "$out/inside.txt"; then bad "inside $name can be opened"; else ok; fi
    done
    if grep -q '^opens: /proc/self/status$' "$out/inside.txt"; then ok; else bad "nothing could be opened inside: the look around shows nothing"; fi
}

# LAB PROGRAM: the optional part of a lab, as `make extra` builds it.
build_extra() {
    local lab=$1 name=$2 flags
    read -ra flags <<<"$(sed -n 's/^EXTRA_FLAGS *:*= *//p' "labs/$lab/Makefile")"
    nvcc -arch=native -lineinfo -g -cudart shared -Icommon/lab -o "$work/extra-$name" "solutions/$lab/$name.cu" build/lib/liblab-own.a "${flags[@]}" >"$work/extra-$name.log" 2>&1
}
part_optional() {
    local lab name
    : >"$out/optional.txt"
    for lab in $labs; do
        name=$(sed -n 's/^EXTRA *:= *//p' "labs/$lab/Makefile")
        [ -n "$name" ] || continue
        build_extra "$lab" "$name"
        if timeout 60 "$work/extra-$name" >>"$work/extra-$name.log" 2>&1; then ok; else bad "$lab $name"; fi
        { echo "== $lab $name"; cat "$work/extra-$name.log"; } >>"$out/optional.txt"
    done
    cat "$out/optional.txt"
}
