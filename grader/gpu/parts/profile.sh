# shellcheck shell=bash disable=SC2154
# `make profile` under the real profilers: test-gpu's part `profile`. profile.txt is what a student would see of one solution.

# `make profile` of the first lab with a ladder: its solution, as lab.mk builds it, under the real profilers.
profile_one() {
    local lab=$1 folder=$work/profile files program
    mapfile -t files < <(build/bin/labtool files "labs/$lab")
    program=build/$(basename "${files[0]}" .cu)
    mkdir -p "$folder/build"
    cp "labs/$lab"/* "$folder"
    (cd "solutions/$lab" && cp "${files[@]}" "$folder")
    cd "$folder" || return 2
    nvcc -arch=compute_75 -lineinfo -g -I. -I"$here/common/lab" -cudart shared -o "$program" ./*.cu "$here/build/labs/$lab/driver.o" "$here/build/lib/liblab.a" &&
        KIT_BUILD=$here/build LAB=$lab PROGRAM=$program FILES=${files[*]} DEVICE=gpu "$here/common/lab/run-case.sh" profile
}

# What the tables must have when both profilers told theirs.
profile_rows() {
    local row
    for row in 'kernels, measured on ' 'time of the launch .* us  *gpu__time_duration.sum' 'sectors a load .* sector' 'l1tex__average' 'read from the card.* byte  *dram__bytes_read.sum' \
        'both over the time  *[0-9.]* GB/s' 'what limits it  *(memory|compute|latency)' 'right: the result is what it should be'; do
        grep -Eq "$row" "$out/profile.txt" || { bad "make profile: no line '$row'"; return; }
    done
    ok
    if ! grep -q 'Nsight Systems (nsys) is not here' "$out/profile.txt"; then
        if grep -q 'measured by Nsight Systems' "$out/profile.txt"; then ok; else bad "make profile: Nsight Systems"; fi
    else
        skip "nsys is not here"
    fi
}

part_profile() {
    local lab
    lab=$(basename "$(dirname "$(find solutions -name ladder.cu | sort | head -n 1)")")
    (profile_one "$lab") >"$out/profile.txt" 2>&1
    if grep -q 'ERR_NVGPUCTRPERM\|Nsight Compute (ncu) is not here' "$out/profile.txt"; then skip "Nsight Compute shows no counters here"; else profile_rows; fi
    cp "$work"/profile/build/{ncu,nsys}.{csv,txt} "$out" 2>/dev/null
    cat "$out/profile.txt"
}
