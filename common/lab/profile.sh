# shellcheck shell=bash disable=SC2154,SC2034
# make profile: two tables, the same rows and units whatever their source, which each says. Sourced by run-case.sh.
#
#   kernels    from Nsight Compute where it is here and may show its counters, from the virtual GPU's report otherwise
#   copies     and kernels of the whole program: from Nsight Systems where it is here, from the virtual GPU's time line otherwise
#
# Leaves in `folder` the case whose result is judged: the GPU's, and the virtual GPU's where the program was run there alone.
virtual_folder=build/virtual

table() { "$KIT_BUILD/bin/profile-table" "$1" "$2" >build/table.txt 2>build/table.err; }

permission() {
    say 'this GPU does not show its counters to you (ERR_NVGPUCTRPERM): another user could learn from them what runs here.'
    say 'An administrator allows it for good with the line `options nvidia NVreg_RestrictProfilingToAdminUsers=0` in a file of /etc/modprobe.d and a new start of the machine; a container needs `--cap-add=SYS_ADMIN` as well. See https://developer.nvidia.com/ERR_NVGPUCTRPERM'
}

# False: there is no table; why not has been said.
kernels_from_ncu() {
    local metrics
    command -v ncu >/dev/null || { say 'Nsight Compute (ncu) is not here.'; return 1; }
    metrics=$("$KIT_BUILD/bin/profile-table" metrics)
    rm -f build/ncu.csv
    run_on_gpu ncu --csv --page raw --print-units base --clock-control none --log-file build/ncu.csv --metrics "$metrics" 2>&1 | tee build/ncu.txt || status=$?
    if grep -qs ERR_NVGPUCTRPERM build/ncu.csv build/ncu.txt; then
        permission
        status=0
        return 1
    fi
    ran_on_gpu=yes
    if ! table ncu build/ncu.csv; then
        say 'Nsight Compute measured no kernel; build/ncu.csv has what it said.'
        return 1
    fi
    echo
    say 'kernels, measured on %s by Nsight Compute:' "$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -n 1)"
    cat build/table.txt
}

copies_from_nsys() {
    local run_status=0
    command -v nsys >/dev/null || { say 'Nsight Systems (nsys) is not here.'; return 1; }
    rm -rf "$folder/out" "$folder/after"
    run_on_gpu nsys profile --trace=cuda --sample=none --cpuctxsw=none --force-overwrite=true -o build/profile >build/nsys.txt 2>&1 || run_status=$?
    nsys stats --force-export=true --format csv --report cuda_gpu_kern_sum --report cuda_gpu_mem_time_sum --report cuda_gpu_mem_size_sum \
        build/profile.nsys-rep >build/nsys.csv 2>>build/nsys.txt || true
    if ! table nsys build/nsys.csv; then
        say 'Nsight Systems saw nothing; build/nsys.txt has what it said.'
        return 1
    fi
    ran_on_gpu=yes
    status=$run_status
    echo
    say 'kernels and copies of the whole program, measured by Nsight Systems (build/profile.nsys-rep has its time line):'
    cat build/table.txt
}

# WANTED: kernels and copies, or one of them.
tables_from_virtual() {
    local wanted=$1 run_status=0 detail=--quiet
    if [ "$DEVICE" = gpu ]; then
        rm -rf "$virtual_folder"
        mkdir -p "$virtual_folder"
        cp -r "$folder/in" "$virtual_folder/in"
    else
        virtual_folder=$folder
    fi
    [[ $wanted != *kernels* ]] || detail=--profile
    "$KIT_BUILD/bin/vgpu" "${options[@]}" $detail --timeline=build/timeline.json --svg=build/profile.svg --report="$virtual_folder/report.json" \
        "./$PROGRAM" "$virtual_folder" || run_status=$?
    if [ -z "$ran_on_gpu" ]; then
        folder=$virtual_folder
        status=$run_status
    fi
    if [[ $wanted = *kernels* ]] && table report "$virtual_folder/report.json"; then
        echo
        say 'kernels, counted on PTX and modelled by the virtual GPU, not measured:'
        cat build/table.txt
    fi
    if [ "$wanted" = 'kernels copies' ] && table numbers "$virtual_folder/report.json"; then
        echo
        say 'the whole run on the virtual GPU, by the names of lab.yaml:'
        cat build/table.txt
        [ ! -s "$virtual_folder/out/values" ] || awk -F= '{ printf "  %-26s %11.6g\n", "value." $1, $2 }' "$virtual_folder/out/values"
    fi
    if [[ $wanted = *copies* ]] && table timeline build/timeline.json; then
        echo
        say 'kernels and copies of the whole program, modelled (build/profile.svg):'
        cat build/table.txt
    fi
}

profile_on_gpu() {
    local wanted=
    kernels_from_ncu || wanted=kernels
    copies_from_nsys || wanted="$wanted copies"
    if [ -n "$wanted" ] && ! "$KIT_BUILD/bin/vgpu" --version >/dev/null 2>&1; then
        say 'The virtual GPU, which would tell the rest, does not start here.'
    elif [ -n "$wanted" ]; then
        echo
        say 'What is missing comes from the virtual GPU:'
        tables_from_virtual "$wanted"
    fi
}
