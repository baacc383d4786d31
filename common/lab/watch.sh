#!/bin/bash
# make watch: waits for the student's files to be saved, and then says what is next. Ctrl-C leaves.
#
#   watch.sh FILE...      in the lab's folder, with KIT_BUILD, and in CHECK the command that grades it
#
# After each save the first case that falls short is run alone, which is quick; once it is right, all are, and what has changed is said. Files are looked at
# four times a second; inotifywait, where it is installed, tells at once.
: "${KIT_BUILD:?}" "${CHECK:?}"
. "$(dirname "$0")/say.sh"
trap 'echo; exit 0' INT TERM

stamp() { stat -c '%n %y %s %i' "$@" 2>/dev/null; }
wait_for_save() {
    while [ "$(stamp "$@")" = "$seen" ]; do
        if command -v inotifywait >/dev/null; then inotifywait -qq -t 1 -e close_write,move,create . || true
        else sleep 0.25; fi
    done
}
count_right() { awk '$3 == "pass" { n++ } END { print n + 0 }' build/cases 2>/dev/null || echo 0; }
next_case() { "$KIT_BUILD/bin/labtool" next . build/cases | grep -q . && "$KIT_BUILD/bin/labtool" case . '' build/cases | cut -f1; }
is_right() { awk -v name="$1" '$1 == name { right = $3 == "pass" } END { exit !right }' build/cases; }
clear_screen() { if [ -t 1 ]; then printf '\033[H\033[2J\033[3J'; fi; }

what_changed() { # BEFORE
    local more=$(($(count_right) - $1))
    if [ $more = 1 ]; then say '1 more case is right.'
    elif [ $more -gt 1 ]; then say '%s more cases are right.' $more
    elif [ $more = -1 ]; then say '1 case is no longer right.'
    elif [ $more -lt -1 ]; then say '%s cases are no longer right.' $((-more)); fi
}

seen=
first=yes
while :; do
    before=$(count_right)
    seen=$(stamp "$@")
    name=$(next_case)
    clear_screen
    if [ -n "$first" ] || [ -z "$name" ]; then
        $CHECK || true
    else
        out=$($CHECK --case "$name" 2>&1)
        if is_right "$name"; then
            $CHECK || true
            what_changed "$before"
        else
            echo "$out"
        fi
    fi
    first=
    "$(dirname "$0")/next-step.sh" "$@"
    say 'watching %s; Ctrl-C leaves' "$*"
    wait_for_save "$@"
done
