#!/bin/bash
# docs/report.schema.json describes every report: those of programs that end in every way, and of each planted bug. Its words are the tables'.
here=$(dirname "$0")
. "$KIT/common/vgpu/cudart/test/tap.sh"
schema=$KIT/docs/report.schema.json
python=/usr/bin/python3
$python -c 'import jsonschema' 2>/dev/null || skip_all "no python3-jsonschema"

# fits REPORT...: each one is as the schema says
fits() {
    $python -W ignore - "$schema" "$@" <<'END'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator, bad = jsonschema.Draft202012Validator(schema), 0
for path in sys.argv[2:]:
    for error in validator.iter_errors(json.load(open(path))):
        bad += 1
        print(path.rsplit("/", 1)[1], "/".join(map(str, error.absolute_path)), error.message[:200])
sys.exit(bad > 0)
END
}

build_cu faults -lineinfo -g "$here/faults.cu" || finish
build_cu planted -lineinfo -g "$here/../../check/test/planted.cu" || finish
mkdir "$scratch/reports"
report() { # NAME PROGRAM [arguments]
    local name=$1
    shift
    "$vgpu" --quiet --error-exitcode=0 --max-instructions=10000000 --report="$scratch/reports/$name.json" "$@" >/dev/null 2>&1
}
for how in none bounds leak print crash quick-exit free-twice forever; do
    report "ends-$how" "$scratch/faults" $how
done
report no-cuda true
while read -r name; do
    report "planted-$name" "$scratch/planted" "$name" bug
done < <(sed -n 's/^ *{"\([a-z_]*\)", [a-z_]*}, *\/\/ .*$/\1/p' "$here/../../check/test/planted.cu")
n_reports=$(find "$scratch/reports" -name '*.json' | wc -l)
[ "$n_reports" -ge 30 ] && fits "$scratch"/reports/*.json >"$scratch/said" 2>&1
ok $? "$n_reports reports are as the schema says" "$scratch/said"

# ---- and what is not as it says is told ----
wrong() { # NAME JQ-FILTER: of a report with a finding and a launch
    jq "$2" "$scratch/reports/planted-far.json" >"$scratch/wrong.json"
    ! fits "$scratch/wrong.json" >"$scratch/said" 2>&1
    ok $? "told: $1"
}
[ -e "$scratch/reports/planted-far.json" ] || ln -s "$(ls "$scratch"/reports/planted-*.json | head -n 1)" "$scratch/reports/planted-far.json"
jq . "$scratch/reports/planted-far.json" >"$scratch/same.json"
fits "$scratch/same.json"
ok $? "the report that is spoilt next is right before"
wrong "a member more" '.more = 1'
wrong "a member less" 'del(.timeline_us)'
wrong "a kind that there is not" '.findings[0].kind = "nonsense"'
wrong "a thread of two numbers" '.findings[0].thread = [1, 2]'
wrong "a counter that is negative" '.launches[0].counters.launches = -1'
wrong "an address that is a number" '.findings[0].address = 5'

same "the kinds are those of findings.def" "$(sed -n 's/^X([A-Z_]*, "\([a-z-]*\)".*/\1/p' "$KIT/common/vgpu/check/findings.def" | sort)" \
    "$(jq -r '.["$defs"].finding.properties.kind.enum[]' "$schema" | sort)"
finish
