# expect: nothing
# A student's id that moves the cursor, and one that runs backwards: neither is a name.
hand_in s002
for name in $'s001\e[2J' $'s001\xe2\x80\xae' $'s001\n' $'s001\xff' '-rf' ' s001'; do
    mkdir -p "$to/class/$name/$lab"
    answer >"$to/class/$name/$lab/vector_add.cu"
done
