# expect: taken
# Rules, headers, libraries and objects of its own, with which it would be built and judged.
{
    answer | entry $lab/vector_add.cu
    printf 'all:\n\ttouch canary\n' | entry $lab/Makefile
    for name in vector_add.h lab.h driver.c reference.c lab.yaml hidden.yaml nvcc.profile vector_add.o liblab.a judge .git/hooks/post-checkout result.json; do
        echo '#error' | entry "$lab/$name"
    done
    end
} >"$to/s001_$lab.tar"
