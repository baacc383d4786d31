# shellcheck shell=bash disable=SC2154
# Every broken submission under compute-sanitizer, one public case each: test-gpu's part `sanitizer`, from which `make record-gpu` makes docs/found-by.md.
# sanitizer.tsv: lab, submission, tool, reports, the first of them; the tool `plain` is none, and 1 says that the run showed something wrong.
# reports.tar.gz: what the tools printed where they reported something, the first lines.

# LAB CASE: how many devices the case needs.
devices_of() {
    local n
    n=$(build/bin/labtool options "labs/$1" "$2" 2>/dev/null | sed -n 's/^--devices=//p')
    echo "${n:-1}"
}

# LAB FILE: the program, with the inputs of the case that its comment names, else of the lab's first.
build_broken() {
    local lab=$1 file=$2 name place sources wanted libraries
    wanted=$(sed -n 's/^\/\/ case: *\([a-z0-9-]*\).*/\1/p' "$file" | head -1)
    [ "$(devices_of "$lab" "$wanted")" -le "$gpus" ] || return 0 # left out, as the grader does
    mapfile -t sources < <(sources_of "$lab")
    mapfile -t libraries < <(build/bin/labtool libraries "labs/$lab" | sed 's/^/-l/')
    name=$(name_of "$file")
    local folder=$work/san/$lab/$name
    mkdir -p "$folder/src" "$folder/case"
    (cd "solutions/$lab" && cp "${sources[@]}" "$folder/src/")
    place=$(basename "$file") # a file of a folder takes the place of its own name, another one that of the first
    [[ $file = */broken/*/* ]] || place=${sources[0]}
    cp "$file" "$folder/src/$place"
    nvcc -arch="${GPU_ARCH:-native}" -lineinfo -g -Ilabs/"$lab" -Icommon/lab -cudart shared -o "$folder/program" \
        "$folder/src/"*.cu "build/labs/$lab/driver.o" build/lib/liblab.a -L"$CUDA_HOME/lib64/stubs" "${libraries[@]}" >"$folder/log" 2>&1 || return 0
    local fields seed rtol atol nan params
    fields=$(build/bin/labtool case "labs/$lab" "$wanted" 2>/dev/null || build/bin/labtool case "labs/$lab" '')
    IFS=$'\t' read -r _ seed rtol atol nan params <<<"$fields"
    printf 'make\t%s\t%s%s\n' "$folder/case" "$seed" "${params:+$'\t'$params}" | "build/labs/$lab/judge" --text
    printf 'check\t%s\t%s\t%s\t%s\t%s%s\n' "$folder/case-plain" "$seed" "$rtol" "$atol" "$nan" "${params:+$'\t'$params}" >"$folder/case/check"
}

# Without any tool: what a student sees who has a GPU and nothing else.
plain_run() {
    local said status verdict
    said=$(timeout 20 "$work/san/$1/$2/program" "$3" 2>&1)
    status=$?
    verdict=$(build/labs/"$1"/judge --text <"$3/check" | head -1)
    [ "$status" = 0 ] || verdict="status $status: $(grep -v '^ *$' <<<"$said" | head -1)"
    printf '%s\t%s\tplain\t%s\t%s\n' "$1" "$2" "$([ -z "$verdict" ] && echo 0 || echo 1)" "$verdict"
}

# TOOL FILE...: whether there is anything in the sources that the tool looks at.
concerns() {
    local tool=$1
    shift
    case $tool in
    racecheck) grep -q '__shared__' "$@" ;;
    synccheck) grep -qE '__sync|__shfl|__ballot|__any_|__all_|__reduce|__match|barrier|cooperative|[^A]sync\(' "$@" ;;
    esac
}

# LAB FILE: built, and run under all tools, one after the other; nothing at all when the time is up before the last.
sanitize_program() {
    local lab=$1 name tool lines='' folder
    name=$(name_of "$2")
    folder=$work/san/$lab/$name
    [ "$(date +%s)" -lt "$deadline" ] || return 0
    build_broken "$lab" "$2"
    [ -x "$folder/program" ] || { echo "$lab $name" >>"$work/san/not-built"; return 0; }
    for tool in plain memcheck racecheck initcheck synccheck; do
        [ "$(date +%s)" -lt "$deadline" ] || return 0
        cp -r "$folder/case" "$folder/case-$tool"
        if [ "$tool" = plain ]; then
            lines+=$(plain_run "$lab" "$name" "$folder/case-$tool")
        elif ! concerns "$tool" "$folder"/src/*; then
            lines+=$(printf '%s\t%s\t%s\t0\tnot run: nothing in it that this tool looks at' "$lab" "$name" "$tool")
        else
            lines+=$(printf '%s\t%s\t%s' "$lab" "$name" \
                "$(KEEP=$work/reports/$lab-$name-$tool.txt ./sanitize.sh "$tool" "$folder/program" "$folder/case-$tool")")
        fi
        lines+=$'\n'
        rm -rf "$folder/case-$tool"
    done
    printf %s "$lines"
    rm -rf "$folder"
}
export -f build_broken plain_run concerns sanitize_program devices_of

# What the table does not have yet first: the time may not be enough for all. A line a program: 0 or 1 (known), lab, file.
list_programs() {
    local lab file
    for lab in $labs; do for file in "solutions/$lab/$(sources_of "$lab" | head -n 1)" solutions/"$lab"/broken/*.cu solutions/"$lab"/broken/*/*.cu; do
        [ ! -e "$file" ] || printf '%d\t%s\t%s\n' "$(grep -cP "^$lab\t$(name_of "$file")\t" known.tsv)" "$lab" "$file"
    done; done | sort -s -k1,1
}

part_sanitizer() {
    local tool lab name left
    if ! command -v compute-sanitizer >/dev/null; then
        skip "compute-sanitizer is not here"
        return
    fi
    mkdir -p "$work/reports" "$work/san"
    list_programs >"$work/programs"
    cut -f2- "$work/programs" | tr '\t\n' '\0\0' | xargs -0 -n2 -P "$processors" bash -c 'sanitize_program "$@"' _ >"$out/sanitizer.tsv"
    sort -o "$out/sanitizer.tsv" "$out/sanitizer.tsv"
    touch "$work/san/not-built"
    left=$(($(wc -l <"$work/programs") - $(cut -f1,2 "$out/sanitizer.tsv" | sort -u | wc -l) - $(wc -l <"$work/san/not-built")))
    [ "$left" = 0 ] || skip "the sanitizer: no time was left for $left programs"
    tar -C "$work" -czf "$out/reports.tar.gz" reports
    [ ! -s "$work/san/not-built" ] || sort "$work/san/not-built" >"$out/not-built.txt"
    [ -s "$out/sanitizer.tsv" ] || return 0
    # Controls: each tool must report something among all the broken ones, if all labs were asked for and there was time, and nothing about a solution.
    for tool in memcheck racecheck initcheck synccheck; do
        [ "$left" = 0 ] && [ -z "${LABS:-}" ] || break
        if awk -F'\t' -v t=$tool '$3 == t && $4 > 0 { found = 1 } END { exit !found }' "$out/sanitizer.tsv"; then ok; else bad "$tool reported nothing at all"; fi
    done
    for lab in $labs; do
        name=$(name_of "$(sources_of "$lab" | head -n 1)")
        if awk -F'\t' -v l="$lab" -v n="$name" '$1 == l && $2 == n && $3 != "plain" && $4 > 0 { exit 1 }' "$out/sanitizer.tsv"; then ok
        else bad "a tool reports something about the solution of $lab"; fi
    done
}
