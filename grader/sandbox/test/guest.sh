#!/bin/bash
# Runs test_cgroup in a virtual machine whose kernel has cgroup v2 with its controllers, for machines that have not. It is slow
# without KVM (a minute or two), and no part of `make test`.
#
#   KERNEL=/path/to/vmlinuz BUILD=build bash grader/sandbox/test/guest.sh
#
# KERNEL is a kernel with everything built in that the guest needs: Debian's linux-image-cloud-amd64 is one, the default when it is
# installed. The guest's system are this machine's own programs, in an initramfs that is made here.
set -eu
BUILD=$(realpath "${BUILD:-build}")
KERNEL=${KERNEL:-$(ls /boot/vmlinuz-*-cloud-amd64 2>/dev/null | tail -n 1)}
for need in qemu-system-x86_64 cpio bwrap; do
    command -v $need >/dev/null || { echo "1..0 # SKIP no $need"; exit 0; }
done
[ -r "$KERNEL" ] || { echo "1..0 # SKIP no kernel (Debian: linux-image-cloud-amd64)"; exit 0; }
tmp=$(mktemp -d)
LOG=${LOG:-$tmp/log}
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root

# A program at its own path, with the libraries that it needs.
take() {
    local file
    for file in "$1" $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
        [ -e "$root$file" ] || { mkdir -p "$root$(dirname "$file")"; cp -L "$file" "$root$file"; }
    done
}
mkdir -p "$root"/{proc,sys,dev,tmp,new,usr/bin,usr/lib,usr/lib64,kit/bin,kit/grader/sandbox/test}
for link in bin lib lib64; do
    ln -s usr/$link "$root/$link"
done
for program in sh mount cp dirname readlink rm chmod mkdir chroot sleep true switch_root; do
    take "$(type -P $program)"
done
take "$(type -P bwrap)"
take "$BUILD/grader/sandbox/test/test_cgroup"
take "$(ldconfig -p | sed -n 's/.*libgcc_s.so.1 .*x86-64.* => //p' | head -n 1)" # threads load it when they end
cp "$BUILD/grader/sandbox/test/test_cgroup" "$root/kit/grader/sandbox/test/"
cp "$BUILD/bin/grade-runner" "$root/kit/bin/"
# bubblewrap cannot pivot away from an initramfs: everything moves to a file system first.
cat >"$root/init" <<'END'
#!/bin/sh
export PATH=/usr/bin:/usr/sbin
mount -t tmpfs -o mode=755 none /new
cp -a /bin /lib /lib64 /usr /kit /second /new/
mkdir -p /new/proc /new/sys /new/dev /new/tmp
exec switch_root /new /second
END
cat >"$root/second" <<'END'
#!/bin/sh
export PATH=/usr/bin:/usr/sbin:/usr/local/bin CMOCKA_MESSAGE_OUTPUT=TAP
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs -o mode=1777 none /tmp
/kit/grader/sandbox/test/test_cgroup
echo "# guest ended $?"
echo o >/proc/sysrq-trigger
sleep 60
END
chmod +x "$root/init" "$root/second"
(cd "$root" && find . | cpio -o -H newc --quiet) | gzip -1 >"$tmp/initramfs"
timeout 500 qemu-system-x86_64 ${ACCEL--accel tcg} -cpu max -smp 1 -m 1024 -nographic -no-reboot -kernel "$KERNEL" -initrd "$tmp/initramfs" \
    -append "console=ttyS0 panic=-1 ${QUIET-quiet loglevel=3}" </dev/null | tr -d '\r' | tee "$LOG" | grep -aE '^(1\.\.|ok|not ok|#)'
grep -aq '^# guest ended 0' "$LOG"
