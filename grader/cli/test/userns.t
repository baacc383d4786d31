#!/bin/bash
# A kernel that forbids user namespaces: `grade run` and `grade doctor` name the setting and the command that allows them, and `make setup`
# offers Ubuntu's profile. What the kernel and bubblewrap answer is made up here, in a folder that stands for /.
: "${BUILD:=build}" "${KIT:=$(realpath "$(dirname "$0")/../../..")}"
cd "$KIT" || exit 2
. grader/test/tap.sh
tmp=$(mktemp -d /tmp/userns-test.XXXXXX)
chmod 711 "$tmp" # grade looks into it as the user of the sandboxes
trap 'rm -rf "$tmp"' EXIT
grade=$BUILD/bin/grade
root=$tmp/root
mkdir -p "$root/proc/sys/kernel" "$root/proc/sys/user" "$root/etc/apparmor.d" "$tmp/bin"
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bin/$1" && chmod +x "$tmp/bin/$1"; }
stub bwrap 'printf "bwrap: " >&2; sleep 0.1; echo "setting up uid map: Permission denied" >&2; exit 1'

says() { # TEXT: both commands say it
    KIT_DOCTOR_ROOT=$root "$grade" run --submissions grader/example-class --out "$tmp/out" --bwrap "$tmp/bin/bwrap" >"$tmp/run" 2>&1
    [ $? = 2 ] && grep -qF -- "$1" "$tmp/run" && KIT_DOCTOR_ROOT=$root "$grade" doctor --bwrap "$tmp/bin/bwrap" 2>&1 | grep -qF -- "$1" || { cat "$tmp/run"; return 1; }
}
setting() { # PATH VALUE: the only one
    find "$root/proc" -type f -delete
    [ -z "$1" ] || echo "$2" >"$root/proc/sys/$1"
}

setting "" ""
check "no such setting: what bubblewrap says" says "setting up uid map: Permission denied"
check "no such setting: nobody is blamed" bash -c "! grep -q 'kernel\.' '$tmp/run'"
check "no such setting: the general hint" grep -q -- '--allow-weak-sandbox' "$tmp/run"
setting kernel/apparmor_restrict_unprivileged_userns 1
check "AppArmor: the setting" says "kernel.apparmor_restrict_unprivileged_userns=1"
check "AppArmor: the command" says "sudo apparmor_parser -r /etc/apparmor.d/bwrap"
check "AppArmor: the profile" says "profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }"
setting kernel/apparmor_restrict_unprivileged_userns 0
check "AppArmor without the restriction" says "setting up uid map"
check "AppArmor without the restriction: nobody is blamed" bash -c "! grep -q apparmor '$tmp/run'"
setting kernel/unprivileged_userns_clone 0
check "Debian's setting" says "sudo sysctl -w kernel.unprivileged_userns_clone=1"
setting user/max_user_namespaces 0
check "none are allowed at all" says "sudo sysctl -w user.max_user_namespaces=15000"
setting user/max_user_namespaces 63455
check "many are allowed" bash -c "! KIT_DOCTOR_ROOT='$root' '$grade' doctor --bwrap '$tmp/bin/bwrap' | grep -q max_user"

# make setup, every package being there.
stub dpkg-query 'echo "install ok installed"'
stub apparmor_parser "echo \"\$@\" >>'$tmp/loaded'"
setup() { KIT_SETUP_ROOT=$root PATH=$tmp/bin:$PATH common/mk/setup.sh "$@" >"$tmp/setup" 2>&1 </dev/null; }
setup base
check "setup offers nothing where nothing is forbidden" bash -c "! grep -q AppArmor '$tmp/setup'"
setting kernel/apparmor_restrict_unprivileged_userns 1
setup base
same "setup ends well all the same" 0 $?
check "setup offers the profile" grep -qF "sudo common/mk/setup.sh bwrap-profile" "$tmp/setup"
check "and installs nothing unasked" test ! -e "$root/etc/apparmor.d/bwrap"
setup bwrap-profile
same "the profile is installed" 0 $?
check "it is loaded" grep -qx -- "-r $root/etc/apparmor.d/bwrap" "$tmp/loaded"
setting kernel/apparmor_restrict_unprivileged_userns 1
says "x" >/dev/null
printed=$(sed -n "s/.*printf '\(.*\)' | sudo tee.*/\1/p" "$tmp/run" | head -n 1)
same "it is what grade prints" "$(cat "$root/etc/apparmor.d/bwrap")" "$(printf "$printed")"
setup base
check "once is enough" bash -c "! grep -q AppArmor '$tmp/setup'"

# Without nvcc setup asks for clang, and for nothing where one is there that suffices.
sed 's,/usr/local/cuda/bin /usr/local/cuda-\*/bin /opt/cuda/bin,/none,' common/mk/setup.sh >"$tmp/bare.sh"
stub dpkg-query 'for p; do :; done; [ "$p" = clang ] || echo "install ok installed"'
stub id 'echo 0'
stub apt-get "echo \"\$@\" >>'$tmp/apt'"
mkdir "$tmp/system" && for tool in bash sh cat sed sort head seq dirname mktemp rm env grep; do ln -s "$(command -v $tool)" "$tmp/system/"; done
bare() { KIT_SETUP_ROOT=$root PATH=$tmp/bin:$tmp/system NVCC=/none/nvcc bash "$tmp/bare.sh" base >"$tmp/setup" 2>&1; }
bare
check "without nvcc clang is installed" grep -q 'install -y --no-install-recommends clang$' "$tmp/apt"
rm -f "$tmp/apt"
stub clang++-13 'echo "clang version 13.0.1"'
bare
check "clang 13 does not suffice" test -e "$tmp/apt"
rm -f "$tmp/apt"
stub clang++-15 'echo "Debian clang version 15.0.6"'
bare
same "with clang 15 setup ends well" 0 $?
check "with clang 15 nothing is installed" test ! -e "$tmp/apt"
check "and it says which one it is" grep -q 'ready (clang 15.0.6)' "$tmp/setup"
tap_end
