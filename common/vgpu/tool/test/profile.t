#!/bin/bash
# --profile: what it says of three kernels, each bad in its own way; counters by line; the same with several jobs.
here=$(dirname "$0")
. "$KIT/common/vgpu/cudart/test/tap.sh"
command -v jq >/dev/null || skip_all "no jq"
build_cu profile -lineinfo "$here/profile.cu" || finish
line() { grep -n "// line: $1\$" "$here/profile.cu" | cut -d: -f1; }
at() { # KERNEL LINE COUNTER: of the report
    jq --arg k "$1" --argjson l "$(line "$2")" ".launches[] | select(.kernel | startswith(\$k)) | .lines[] | select(.line == \$l) | .$3" "$scratch/report.json"
}
"$vgpu" --profile --report="$scratch/report.json" "$scratch/profile" >"$scratch/out" 2>"$scratch/text"
same "a program runs as without it" 0 $?

same "strided: a sector a lane, by the line" "128 4096" "$(at rows strided global_requests) $(at rows strided global_sectors)"
same "side by side: four" "128 512" "$(at rows 'side by side' global_requests) $(at rows 'side by side' global_sectors)"
same "no conflict: a pass a request" "512 512 0" "$(at banks 'no conflict' shared_requests) $(at banks 'no conflict' shared_wavefronts) $(at banks 'no conflict' bank_conflicts)"
same "conflict: 32 passes" "128 4096 3968" "$(at banks conflict shared_requests) $(at banks conflict shared_wavefronts) $(at banks conflict bank_conflicts)"
same "every warp parts at one line" 128 "$(at parts parts divergent_branches)"
for kernel in rows banks parts; do
    same "$kernel: the lines add up to the launch" "$(jq --arg k $kernel '.launches[] | select(.kernel | startswith($k)) | .counters | [.warp_instructions, .kernel_instructions, .shared_wavefronts, .divergent_branches]' "$scratch/report.json")" \
        "$(jq --arg k $kernel '.launches[] | select(.kernel | startswith($k)) | .lines | [(map(.instructions) | add), (map(.thread_instructions) | add), (map(.shared_wavefronts) | add), (map(.divergent_branches) | add)]' "$scratch/report.json")"
done
same "occupancy is between 0 and 1" true "$(jq '[.launches[].occupancy | .achieved > 0 and .achieved <= .theoretical and .theoretical <= 1] | all' "$scratch/report.json")"

kernel_says() { # NAME KERNEL PATTERN
    awk -v k="$2" '/^[a-z]/ { on = index($0, k) == 1 } on' "$scratch/text" >"$scratch/part"
    grep -Eq -- "$3" "$scratch/part"
    ok $? "$1" "$scratch/part"
}
kernel_says "rows: sectors are what to look at" rows '^\* sector_efficiency'
kernel_says "rows: the line" rows "of sectors past L1 +profile.cu:$(line strided)  float x = a"
kernel_says "banks: conflicts are what to look at" banks '^\* bank_conflicts_per_request'
kernel_says "banks: the line" banks "100% of bank conflicts +profile.cu:$(line conflict)  "
kernel_says "parts: lanes are what to look at" parts '^\* active_lanes'
kernel_says "parts: the line" parts "100% of divergence +profile.cu:$(line parts)  if"
! grep -q '^\* bank_conflicts' <(awk '/^[a-z]/ { on = index($0, "rows") == 1 } on' "$scratch/text")
ok $? "what a kernel does not do is not told"

"$vgpu" --quiet --report="$scratch/plain.json" "$scratch/profile"
same "without --profile there are no lines" 0 "$(jq '[.launches[].lines // empty] | length' "$scratch/plain.json")"
same "and everything else is the same" "$(jq -c 'del(.launches[].lines)' "$scratch/report.json")" "$(jq -c . "$scratch/plain.json")"
"$vgpu" --quiet --profile --jobs=3 --report="$scratch/jobs.json" "$scratch/profile" 2>/dev/null
cmp -s "$scratch/report.json" "$scratch/jobs.json"
ok $? "three jobs count the same"
build_cu bare "$here/profile.cu" && "$vgpu" --profile "$scratch/bare" >"$scratch/out" 2>"$scratch/text"
has "without -lineinfo it says how" "$scratch/text" 'compile with -lineinfo'
finish
