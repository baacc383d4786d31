# expect: taken
# Names with what a shell or a program's option would take for something else.
{
    answer | entry $lab/vector_add.cu
    for name in '$(touch canary)' '`touch canary`' '; touch canary;' '| touch canary' '--to-command=touch canary' '-rf' 'a b' '%s%n'; do
        echo x | entry "$lab/$name"
    done
    end
} >"$to/s001_$lab.tar"
