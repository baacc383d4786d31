#!/bin/bash
# Builds are never stale: other flags, an object that goes, another list of libraries are seen; and what is built is not built again.
cd "$(mktemp -d)" || exit 2
trap 'rm -rf "$PWD"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL BUILD SAN COV WERROR

mkdir -p common/mk common/thing/test common/other
cp "$KIT"/common/mk/{toolchain,rules}.mk common/mk
cat >Makefile <<'END'
.DEFAULT_GOAL := all
include common/mk/toolchain.mk common/mk/rules.mk common/thing/module.mk
all: $(ALL_PROGRAMS) $(ALL_TESTS)
help: ; @echo help
-include $(ALL_DEPS)
END
printf '$(call module,common/thing,-DWHAT=1)\n$(call module,common/other)\n$(call program,say,common/thing,common/thing)\n$(call unit_tests,common/thing,common/thing)\n' >common/thing/module.mk
echo 'int one(void); int one(void) { int unused; return WHAT; }' >common/thing/one.c
echo 'int two(void); int two(void) { return 2; }' >common/thing/two.c
echo 'int two(void); int two(void) { return 22; }' >common/other/two.c
printf '#include <stdio.h>\nint one(void);\nint two(void);\nint main(void) { printf("%%d %%d\\n", one(), two()); return 0; }\n' >common/thing/main.c
echo 'int main(void) { return 0; }' >common/thing/test/test_thing.c

n=0
result() { # STATUS NAME OUTPUT
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' <<<"$3"; fi
}
# NAME WANTED FORBIDDEN [MAKE'S ARGUMENT...]: what make compiles and links.
builds() {
    local name=$1 wanted=$2 forbidden=$3 out
    shift 3
    out=$(make "$@" 2>&1) && { [ -z "$wanted" ] || grep -q "$wanted" <<<"$out"; } && { [ -z "$forbidden" ] || ! grep -q "$forbidden" <<<"$out"; }
    result $? "$name" "$out"
}
says() { [ "$(build/bin/say)" = "$2" ]; result $? "$1" "$(build/bin/say)"; }

builds "at first all is built" "CC *common/thing/one.c" ""
says "and is right" "1 2"
builds "then nothing is" "Nothing to be done for 'all'" "CC\|LD"
make -q >/dev/null 2>&1
result $? "make -q says so" ""
out=$(make WERROR=1 2>&1)
[ $? != 0 ] && grep -q 'Werror=unused' <<<"$out"
result $? "WERROR=1 compiles again, and refuses" "$out"
builds "without it again too" "CC *common/thing/one.c" ""
builds "and then nothing" "Nothing to be done" "CC\|LD"
builds "help with other flags" help "CC" WERROR=1 help
builds "has built nothing, and changed nothing" "Nothing to be done" "CC\|LD"
sed -i 's/^OPT *:= /&-O1 /' common/mk/toolchain.mk
builds "a changed toolchain.mk" "CC *common/thing/main.c" ""
sed -i 's/WHAT=1/WHAT=3/' common/thing/module.mk
builds "changed flags of a module" "CC *common/thing/one.c" "CC *common/other"
says "are in the program" "3 2"
sed -i 's/,common\/thing)$/,common\/other common\/thing)/' common/thing/module.mk
builds "another list of libraries" "LD *build/bin/say" ""
says "is in the program" "3 22"
sed -i 's/,common\/other common\/thing)$/,common\/thing)/' common/thing/module.mk
builds "and the old one again" "LD *build/bin/say" ""
rm common/thing/two.c
out=$(make 2>&1)
[ $? != 0 ] && grep -q 'undefined reference to .two' <<<"$out"
result $? "a source that goes is missed" "$out"
[ "$(ar t build/lib/common_thing.a)" = one.o ]
result $? "and its object is not in the archive" "$(ar t build/lib/common_thing.a)"
mv common/other/two.c common/thing/two.c
builds "a source that comes" "LD *build/bin/say" ""
says "is in the program then" "3 22"
sed -i 's/WHAT=3)/WHAT=3,room)/' common/thing/module.mk
mkdir common/thing/room
echo 'int four(void); int four(void) { return 4; }' >common/thing/room/four.c
builds "a room that comes" "CC *common/thing/room/four.c" ""
[ "$(ar t build/lib/common_thing.a | sort | tr '\n' ' ')" = 'four.o one.o two.o ' ]
result $? "is in its module's archive" "$(ar t build/lib/common_thing.a)"
rm common/thing/room/four.c
builds "a source that goes from a room" "LD *build/bin/say" ""
[ "$(ar t build/lib/common_thing.a | sort | tr '\n' ' ')$(ls build/common/thing/room)" = 'one.o two.o ' ]
result $? "is not in the archive" "$(ar t build/lib/common_thing.a)"
builds "and then there is nothing to do" "Nothing to be done" "CC\|LD"
echo "1..$n"
