# shellcheck shell=bash disable=SC2154
# Speed as it is graded on the card, with nothing else under way: test-gpu's part `speed`. For each case with `speed` the lab's solution, which is beside
# itself at 100 %; and beside lab 06's the submissions that try to deceive the clock.
# speed.tsv: lab, case, submission, verdict, points, of how many, and the metrics: share, call_us, reference_us, roofline_us, spread, ceilings.
SPEED_METRICS="speed_share speed_call_us speed_reference_us speed_roofline_us speed_spread speed_ceiling_copy_gb_s speed_ceiling_tflop_s speed_ceiling_link_gb_s speed_ceiling_launch_us"

# LAB: the cases that have `speed`.
timed_cases() { awk '/- name: / { name = $3 } /^    speed:/ { print name }' "labs/$1/lab.yaml" "solutions/$1/hidden.yaml"; }

# LAB CASE STUDENT: the line of speed.tsv.
tell_speed() {
    local result=$work/graded-speed-$1-$2/results/$3/$1/result.json metric
    printf '%s\t%s\t%s' "$1" "$2" "$3"
    for metric in verdict score max_score $SPEED_METRICS; do
        printf '\t%s' "$(value_of "$result" "$metric")"
    done
    echo
}

check_attack() { # FILE VERDICT POINTS: what stands behind `on-gpu:`, or else `expect:`
    local wanted
    wanted=$(sed -n 's,^// on-gpu: ,,p' "$1")
    [ -n "$wanted" ] || wanted=$(sed -n 's,^// expect: \(.*\),\1 0,p' "$1")
    case $wanted in
    "as-right 0") [ "$2" = pass ] ;;
    *) [ "$2 ${3%.0}" = "$wanted" ] ;;
    esac
}

part_speed() {
    local lab case student verdict score most rest attack
    : >"$out/speed.tsv"
    for lab in $labs; do for case in $(timed_cases "$lab"); do
        hand_in "speed-$lab-$case/solution" "$lab"
        if [ "$lab" = 06-reduction ]; then
            for attack in attacks-timing/*.cu; do
                student=$(basename "$attack" .cu)
                hand_in "speed-$lab-$case/$student" "$lab"
                { cat "$attack"; sed -e '/#include/d' -e 's/^int sum_strided/extern "C" &/' "solutions/$lab/reduction.cu"; } >"$work/class-speed-$lab-$case/$student/$lab/reduction.cu"
            done
        fi
        grade_class "speed-$lab-$case" --case "$case"
        for student in "$work/class-speed-$lab-$case"/*; do
            tell_speed "$lab" "$case" "$(basename "$student")"
        done >>"$out/speed.tsv"
    done; done
    while IFS=$'\t' read -r lab case student verdict score most rest; do
        if [ "$student" = solution ]; then
            [ "$verdict $score" = "pass $most" ]
        else
            check_attack "attacks-timing/$student.cu" "$verdict" "$score"
        fi && ok || bad "speed of $lab $case, $student: $verdict, $score of $most points"
    done <"$out/speed.tsv"
    cat "$out/speed.tsv"
}
