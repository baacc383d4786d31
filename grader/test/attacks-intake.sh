# What the hostile archives and folders of attacks-intake/ are made with. Source it; then source one of them, with `to` set to
# an empty folder. It writes $to/STUDENT_02-vector-add.EXT, to be imported, or folders $to/class/STUDENT/02-vector-add/, to be graded.
lab=02-vector-add

# entry NAME [TYPE [LINK [MTIME [SIZE]]]] <CONTENTS: a tar entry as it is asked for. TYPE is tar's letter: 0 file, 1 hard link,
# 2 link, 3 device, 5 folder, 6 FIFO; SIZE is what the header claims. Bytes in NAME may be written \xNN.
entry() {
    perl -e '
        my ($name, $type, $link, $mtime, $size) = @ARGV;
        $name =~ s/\\x([0-9a-f]{2})/chr hex $1/ge;
        binmode STDIN; binmode STDOUT; local $/; my $data = <STDIN> // "";
        my $head = pack("a100 a8 a8 a8 a12 a12 a8 a1 a100 a6 a2 a32 a32 a8 a8 a155 x12", $name, "0000644", "0000000", "0000000",
            sprintf("%011o", $size eq "" ? length $data : $size), sprintf("%011o", $mtime || 1700000000), " " x 8, $type || "0", $link,
            "ustar", "00", "root", "root", "0000001", "0000003", "");
        substr($head, 148, 8) = sprintf("%06o\0 ", unpack("%32C*", $head));
        print $head, $data, "\0" x (-length($data) % 512);' -- "$1" "${2:-}" "${3:-}" "${4:-}" "${5:-}"
}
end() {
    head -c 1024 /dev/zero
}
# The ordinary submission, as a file's contents.
answer() {
    cat <<'END2'
#include "vector_add.h"
int vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    return 0;
}
END2
}
hand_in() { # STUDENT: an ordinary submission in a folder
    mkdir -p "$to/class/$1/$lab"
    answer >"$to/class/$1/$lab/vector_add.cu"
}
