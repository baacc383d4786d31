# expect: no-gpu-work
# As the compiler finds things: headers beside the source would be taken before the kit's.
hand_in s001
for name in lab.h cuda_runtime.h nvcc.profile vector_add.o liblab.a driver.c reference.c lab.yaml hidden.yaml; do
    echo '#error taken' >"$to/class/s001/$lab/$name"
done
printf 'all:\n\ttouch %s\n' "$canary" >"$to/class/s001/$lab/Makefile"
