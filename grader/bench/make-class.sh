# shellcheck shell=bash
# A class that was never taught: submissions for benchmarks of the grader. Source it in the kit's folder.
#
#   make_class DIR STUDENTS LABS SLICES DISTINCT    hands in something of every student for every lab, below DIR/slice0, slice1, ...
#                                                   DISTINCT 1: no two submissions alike; prints of each what it is
#
# Everything is drawn with RANDOM: the caller sets its seed. BUILD says where labtool is.

files_of() { # LAB: what is handed in
    sed -n 's/^files: \[\(.*\)\]$/\1/p' "labs/$1/lab.yaml" | tr -d ,
}
choose_of() { # FOLDER: `chosen` is a random entry of it (no subshell: that would draw other numbers)
    local entries=("$1"/*)
    chosen=${entries[RANDOM % ${#entries[@]}]}
}
# The whole sources of a lab's submissions: `whole` is a folder that has broken/ and accepted/.
declare -A whole_of
write_whole() { # LAB
    whole=${whole_of[$1]:-}
    [ -z "$whole" ] || return 0
    whole=$(mktemp -d "$whole_sources/XXXXXX")
    "${BUILD:-build}/bin/labtool" submissions "$1" "$whole"
    whole_of[$1]=$whole
}
# Copies what is handed in from a folder; what that folder lacks comes from the solution. SOURCE may be the first file alone.
take() { # LAB SOURCE TO
    local file first
    first=$(files_of "$1" | cut -d' ' -f1)
    mkdir -p "$3"
    for file in $(files_of "$1"); do
        if [ -f "$2" ] && [ "$file" == "$first" ]; then
            cp "$2" "$3/$file"
        elif [ -f "$2/$file" ]; then
            cp "$2/$file" "$3/"
        else
            cp "solutions/$1/$file" "$3/"
        fi
    done
}
# Of a hundred: 45 right, 10 right in an unusual way, 28 wrong in one of the known ways, 8 untouched, 5 that do not compile, 4 missing.
hand_in() { # LAB TO NUMBER, or nothing where submissions may be alike
    local dice=$((RANDOM % 100)) kind=right file whole
    write_whole "$1"
    chosen=solutions/$1
    if [ $dice -ge 96 ]; then
        kind=missing
    elif [ $dice -ge 91 ]; then
        kind="not compiling"
    elif [ $dice -ge 83 ]; then
        kind=untouched chosen=labs/$1
    elif [ $dice -ge 55 ]; then
        kind=wrong
        choose_of "$whole/broken"
    elif [ $dice -ge 45 ]; then
        kind="right in an unusual way"
        choose_of "$whole/accepted"
    fi
    echo "$kind"
    mkdir -p "$2"
    [ "$kind" != missing ] || return 0
    take "$1" "$chosen" "$2"
    for file in "$2"/*.cu; do
        [ -z "$3" ] || sed -i "1s|^|// submission $3\n|" "$file"
    done
    [ "$kind" != "not compiling" ] || echo 'int missing = ;' >>"$file"
}

make_class() {
    local dir=$1 students=$2 labs=$3 slices=$4 distinct=$5 n=0 i lab whole_sources
    whole_sources=$(mktemp -d)
    for ((i = 0; i < students; i++)); do
        for lab in $labs; do
            n=$((n + 1))
            hand_in "$lab" "$dir/slice$((i % slices))/$(printf 's%03d' "$i")/$lab" "${distinct:+$n}"
        done
    done
    rm -rf "$whole_sources"
}
