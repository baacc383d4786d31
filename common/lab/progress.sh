#!/bin/bash
# make progress: how far the labs are, by what their cases said when they ran last.
#
#   progress.sh      in the kit's folder, with BUILD
#     TIME=1         and the time spent: a lab keeps when it was checked (build/times, by next-step.sh), and what is between two checks counts
#                    where it is no more than a pause's length
: "${BUILD:=build}" "${TIME:=}"
readonly PAUSE=1200 # seconds

time_spent() { # FILE
    awk -v pause=$PAUSE 'NR > 1 && $1 - last <= pause { sum += $1 - last } { last = $1 } END { m = int((sum + 30) / 60); if (m < 60) printf "%d min", m; else printf "%d h %02d min", m / 60, m % 60 }' "$1"
}
# A line of the table, with a column of time in front of its last.
put() { # LINE TIME
    if [ -n "$TIME" ]; then printf '%s %12s%s\n' "${1:0:48}" "$2" "${1:48}"; else printf '%s\n' "$1"; fi
}

put "$(printf '%-26s %8s %12s  %s' lab 'TODOs done' 'public points' next)" 'time spent'
next=
for folder in labs/[0-9][0-9]-*; do
    line=$("$BUILD/bin/labtool" progress "$folder" "$folder/build/cases") || exit 2
    spent=-
    [ ! -s "$folder/build/times" ] || spent=$(time_spent "$folder/build/times")
    put "$line" "$spent"
    [ -n "$next" ] || [[ $line == *' done' ]] || next="${folder#labs/}: make -C $folder watch"
done
if [ -n "$next" ]; then echo "next: $next"
else echo "every public case of every lab is right"; fi
