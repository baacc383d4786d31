#!/bin/bash
# Says what a student does next: the first TODO whose cases fall short. Where its comment still stands in the files, it says the line. When all public cases are
# right: what the hidden ones ask beside them and what was learnt (after.md), where the answers are if the instructor gave them out, and the next lab.
#
#   next-step.sh FILE...      in the lab's folder, with KIT_BUILD; notes in build/times that it was asked
. "$(dirname "$0")/say.sh"
{ date +%s >>build/times; } 2>/dev/null # for `make progress TIME=1`
number=$("$KIT_BUILD/bin/labtool" next . build/cases) || exit 0
if [ -z "$number" ]; then
    this=$(basename "$PWD")
    after=after.$("$KIT_BUILD/bin/labtool" language .).md
    [ -f "$after" ] || after=after.md
    say 'All public cases are right.'
    [ ! -f "$after" ] || { echo; fit <"$after"; echo; }
    [ ! -d "../../answers/$this" ] ||
        say 'answers to the questions, a solution and notes: %s (on the honour system)' "answers/$this"
    for lab in ../[0-9][0-9]-*/; do
        lab=$(basename "$lab")
        if [[ $lab > $this ]]; then say 'next lab: %s' "$lab"; break; fi
    done
    exit 0
fi
todo="TODO $number"
file=$(grep -lE "$todo([^0-9]|\$)" "$@" 2>/dev/null | head -n 1)
helps=$(grep -q '^hints:' lab.yaml && echo yes)
if [ -z "$helps" ]; then
    say 'next: %s; README.md explains it' "$todo"
elif [ -n "$file" ]; then
    line=$(grep -nE "$todo([^0-9]|\$)" "$file" | head -n 1 | cut -d: -f1)
    say 'next: %s in %s (line %s) is still open; README.md explains it, and `make hint` helps' "$todo" "$file" "$line"
else
    say 'next: %s falls short; `make run` runs its first case, and `make hint` helps' "$todo"
fi
