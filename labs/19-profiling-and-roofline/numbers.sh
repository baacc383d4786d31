#!/bin/bash
# numbers.sh virtual|gpu: the counters of the roofline of the last run's kernels together, each kernel's time and limit, and what the driver
# reported. On the virtual GPU they come from its report, on a card from Nsight Compute, where it may show them; the driver's times were taken
# without it.
set -euo pipefail
table() { "$KIT_BUILD/bin/profile-table" "$@" 2>/dev/null; }
values=build/case/out/values
if [ "$1" = virtual ]; then
    table report-totals build/case/report.json
else
    values=build/values
    if table ncu-totals build/ncu.csv >build/totals.txt; then echo '# measured on this card by Nsight Compute'
    else
        echo '# counted and modelled by the virtual GPU: Nsight Compute shows no counters here (build/profile.txt says why)'
        table report-totals build/virtual/report.json >build/totals.txt
    fi
    cat build/totals.txt
    [ ! -s "$values" ] || echo '# measured on this card without it'
fi
grep -s '^gain=' "$values" | tr '=' ' ' || true
