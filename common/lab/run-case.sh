#!/bin/bash
# Runs one public case of a lab for a student: makes the inputs, runs the program, says what came out.
#
#   run-case.sh run|profile|show [CASE [KEY=VALUE...]]     in a lab's folder; the variables below are set by common/mk/lab.mk.
#                                                     KEY=VALUE: instead of the case's own value of that parameter
#
# Exit status: 0 when the result is right and the program had nothing to complain about; 1 when not; 2 when the kit is at fault.
set -euo pipefail
: "${KIT_BUILD:?}" "${LAB:?}" "${PROGRAM:?}" "${CUDA_HOME:=}" "${DEVICE:=}" "${FILES:=}" "${TIMELINE:=}" "${LAUNCH:=}" "${BLOCKS:=}" "${SHAPE:=}" "${REGISTERS:=}" "${FILM:=build/film.html}"
mode=$1
case_name=${2:-}
folder=build/case
judge=$KIT_BUILD/labs/$LAB/judge
here=$(dirname "$0")
. "$here/say.sh"
. "$here/profile.sh"

fail() { echo "$*" >&2; exit 2; }

# A lab without texts in it speaks English throughout, and so does the virtual GPU.
if [ ! -f "lab.${KIT_LANG:-en}.yaml" ]; then unset KIT_LANG; fi

fields=$("$KIT_BUILD/bin/labtool" case . "$case_name" build/cases) || exit 2
IFS=$'\t' read -r name seed rtol atol nan params <<<"$fields"
given=("${@:3}")
for other in "${given[@]}"; do
    params=$(tr '\t' '\n' <<<"$params" | sed "s|^${other%%=*}=.*|$other|" | paste -sd '\t')
done
mapfile -t options < <("$KIT_BUILD/bin/labtool" options . "$name")

# A film is the virtual GPU's.
if [ "$mode" = show ] && [ "$DEVICE" = gpu ]; then fail "make show runs the case on the virtual GPU alone"; fi
if [ "$mode" = show ]; then DEVICE=virtual; fi

# With no DEVICE, or auto: a GPU if one answers.
if [ -z "$DEVICE" ] || [ "$DEVICE" = auto ]; then
    DEVICE=virtual
    if command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then DEVICE=gpu; fi
fi

# A GPU that is not there cannot be lent: a case for several is left out.
for option in "${options[@]}"; do
    if [ "$DEVICE" != gpu ] || [[ $option != --devices=* ]]; then continue; fi
    gpus=$(nvidia-smi -L | grep -c '^GPU ') || true
    if [ "$gpus" -lt "${option#*=}" ]; then
        echo "case $name needs ${option#*=} GPUs, and $gpus answers: left out"
        exit 0
    fi
    mapfile -t options < <(printf '%s\n' "${options[@]}" | grep -v '^--devices=')
done

rm -rf "$folder"
mkdir -p "$folder"
printf 'make\t%s\t%s%s\n' "$folder" "$seed" "${params:+$'\t'$params}" | "$judge" --text || fail "the inputs of case $name could not be made"

if [ "$DEVICE" = gpu ]; then say 'case %s (%s) on the GPU' "$name" "${params//$'\t'/, }"
else say 'case %s (%s) on the virtual GPU' "$name" "${params//$'\t'/, }"; fi
status=0

ran_on_gpu=

run_on_virtual() {
    if [ -n "$TIMELINE" ]; then options+=(--timeline-text --svg=build/timeline.svg); fi
    "$KIT_BUILD/bin/vgpu" "${options[@]}" --report="$folder/report.json" "./$PROGRAM" "$folder" || status=$?
}

show_on_virtual() {
    rm -f build/film.html "$FILM"
    local shapes
    shapes=$("$KIT_BUILD/bin/labtool" shapes . "$name" "${given[@]}")
    shapes+=${SHAPE:+${shapes:+,}$SHAPE}
    options+=("--film=$FILM" ${LAUNCH:+"--film-launch=$LAUNCH"} ${BLOCKS:+"--film-blocks=$BLOCKS"} ${shapes:+"--shape=$shapes"} ${REGISTERS:+--film-registers})
    run_on_virtual
    if [ ! -f "$FILM" ]; then return; fi
    case $FILM in
    *.html) say 'a film of a launch is in %s: open it in a browser' "$FILM" ;;
    *) say 'a film of a launch is in %s' "$FILM" ;;
    esac
}

run_on_gpu() { # TOOL...: a profiler in front of the program, or nothing
    LD_LIBRARY_PATH=$CUDA_HOME/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$@" "./$PROGRAM" "$folder"
}

case $DEVICE-$mode in
virtual-run) run_on_virtual ;;
virtual-show) show_on_virtual ;;
virtual-profile) tables_from_virtual 'kernels copies' ;;
gpu-*)
    if [ "${#options[@]}" -gt 0 ]; then say 'this case gives the virtual GPU %s, which a GPU does not know' "${options[*]}"; fi
    if [ "$mode" = run ]; then run_on_gpu || status=$?
    else profile_on_gpu; fi
    ;;
*) fail "DEVICE is virtual, gpu or auto, not '$DEVICE'" ;;
esac

if [ "$status" -gt 128 ]; then say 'the program was ended by signal %s' $((status - 128)); fi

# A case in which a CUDA call is made to fail, and nothing is compared: the function has to return the error, and leave nothing behind.
tell_failure() {
    if ! grep -q '"fail_at":{[^}]*"failed":true' "$folder/report.json"; then say 'the CUDA call that was to fail was never made'
    elif [ "$status" = 0 ]; then say 'a CUDA call was made to fail, and your function returned 0 (cudaSuccess)'
    elif [ "$status" = "$wanted" ] && ! grep -q '"verdict":"[a-z]' "$folder/report.json"; then
        say 'right: a CUDA call was made to fail, and your function returned its error. `make check` tries all cases.'
        return
    fi
    return 1
}

IFS=$'\t' read -r wanted compared < <("$KIT_BUILD/bin/labtool" expects . "$name")
if [ "$DEVICE" = virtual ] && [ "$wanted" != 0 ] && [ "$compared" = alone ]; then
    mark=right
    tell_failure || mark=short
    "$KIT_BUILD/bin/labtool" mark . build/cases "$name" $mark || true
    [ $mark = short ] || exit 0
    # shellcheck disable=SC2086
    KIT_BUILD=$KIT_BUILD "$here/next-step.sh" $FILES
    exit 1
fi

verdict=0
printf 'check\t%s\t%s\t%s\t%s\t%s%s\n' "$folder" "$seed" "$rtol" "$atol" "$nan" "${params:+$'\t'$params}" |
    "$judge" --lang="$("$KIT_BUILD/bin/labtool" language .)" --text >"$folder/said" || verdict=$?
[ "$verdict" -lt 2 ] || fail "the judge could not compare"
# A program that was ended, or that the virtual GPU complained of, has said why: a question whether it crashed says nothing more.
if [ "$status" = 0 ]; then fit <"$folder/said"
else grep -vxF "$(say 'hint: Did it crash, or call exit, before your function returned?')" "$folder/said" | fit || true; fi

if [ "$verdict" = 0 ] && [ "$status" = 0 ]; then mark=right; else mark=short; fi
"$KIT_BUILD/bin/labtool" mark . build/cases "$name" $mark || true

if [ "$verdict" = 0 ] && [ "$status" = 0 ]; then
    say 'right: the result is what it should be. `make check` tries all cases.'
    exit 0
fi
# What the function gave back is no error that it met: the lines of the harness above only name that number.
if [ "$DEVICE" = virtual ] && [ "$(grep -cE '^"(exit":\{"status":1,|errors":\[\])' "$folder/report.json")" = 2 ]; then
    say 'no CUDA call failed: a function returns 0 (cudaSuccess) where all went well, and the code of the error where a call failed'
fi
if [ "$verdict" = 0 ]; then say 'the result is right, but the program ended with status %s; see above' "$status"; fi
# shellcheck disable=SC2086
KIT_BUILD=$KIT_BUILD "$here/next-step.sh" $FILES
exit 1
