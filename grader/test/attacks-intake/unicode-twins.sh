# expect: taken
# Names that look like the one that is wanted, in other characters and in two forms of one.
{
    answer | entry $lab/vector_add.cu
    echo '#error' | entry "$lab/vector_add\\xe2\\x80\\x8b.cu"
    echo '#error' | entry "$lab/vect\\xd0\\xber_add.cu"
    echo '#error' | entry "$lab/\\xc3\\xa9.cu"
    echo '#error' | entry "$lab/e\\xcc\\x81.cu"
    end
} >"$to/s001_$lab.tar"
