#!/bin/bash
# Puts the built kit into a folder tree of its own, or takes it away again.
#
#   install.sh install|uninstall       PREFIX (where it will stand), DESTDIR (put in front while packing), BUILD, SOLUTIONS=1; RUN: what runs programs of another machine
#
#   PREFIX/bin/vgpu, grade                     links to:
#   PREFIX/lib/cuda-lab-kit/                   a kit: labs/, common/ (what labs are built with), build/ (commands, libraries, judges)
#   PREFIX/share/man/man1/vgpu.1, grade.1      when pandoc made them
#   PREFIX/share/bash-completion/completions/grade, share/zsh/site-functions/_grade, share/fish/vendor_completions.d/grade.fish
#   PREFIX/share/doc/cuda-lab-kit/             manuals, README, licence
#
# The commands find their kit from where they stand. A lab's Makefile is told where the kit is, so that a student can copy a lab's
# folder anywhere. Solutions and hidden cases are installed only with SOLUTIONS=1: everybody who can log in could read them.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
prefix=${PREFIX:-/usr/local}
[[ $prefix == /* ]] || { echo "install: PREFIX must begin with a slash, not '$prefix'" >&2; exit 2; }
to=${DESTDIR:-}$prefix
kit=$to/lib/cuda-lab-kit

completions=(bash:share/bash-completion/completions/grade zsh:share/zsh/site-functions/_grade
    fish:share/fish/vendor_completions.d/grade.fish)

install_completions() {
    local one
    for one in "${completions[@]}"; do
        install -d "$(dirname "$to/${one#*:}")"
        ${RUN:-} "$build/bin/grade" completion "${one%%:*}" >"$to/${one#*:}"
    done
}

# Whether anything of ours is there.
is_there() {
    local name
    for name in vgpu grade; do
        if [[ $(readlink "$to/bin/$name") == ../lib/cuda-lab-kit/* ]]; then return 0; fi
    done
    [ -e "$kit/common/mk/lab.mk" ]
}

remove_all() {
    local name
    if [[ $(readlink "$to/bin/grade") == ../lib/cuda-lab-kit/* ]]; then
        for name in "${completions[@]}"; do rm -f "$to/${name#*:}"; done
    fi
    # Only what is ours: a folder of this name that holds no kit stays.
    if [ -e "$kit/common/mk/lab.mk" ]; then rm -rf "$kit"; fi
    rm -rf "$to/share/doc/cuda-lab-kit"
    for name in vgpu grade; do
        if [[ $(readlink "$to/bin/$name") == ../lib/cuda-lab-kit/* ]]; then rm -f "$to/bin/$name" "$to/share/man/man1/$name.1"; fi
    done
}

mode_of() { if [ -x "$1" ]; then echo 755; else echo 644; fi; }

# The student's side of each lab, as it is in the sources: nothing that was built or packed there.
install_labs() {
    local lab file
    for lab in labs/[0-9][0-9]-*/; do
        lab=${lab%/}
        install -d "$kit/$lab" "$kit/build/$lab"
        for file in "$lab"/*; do
            case $file in *.tar.gz) continue ;; esac
            if [ -f "$file" ]; then install -m "$(mode_of "$file")" "$file" "$kit/$lab/"; fi
        done
        sed -i "s,^KIT *:=.*,KIT := $prefix/lib/cuda-lab-kit," "$kit/$lab/Makefile"
        install -m 644 "$build/$lab/driver.o" "$kit/build/$lab/"
        install -m 755 "$build/$lab/judge" "$kit/build/$lab/"
    done
}

install_solutions() {
    cp -r solutions "$kit/"
    chmod -R u=rwX,go= "$kit/solutions"
    echo "installed solutions and hidden cases too, for their owner's eyes"
}

install_all() {
    local name
    if [ -e "$kit" ] && [ ! -e "$kit/common/mk/lab.mk" ]; then echo "install: $kit is there and is no kit" >&2; exit 2; fi
    for name in vgpu grade; do
        if [ -e "$to/bin/$name" ] && [[ $(readlink "$to/bin/$name") != ../lib/cuda-lab-kit/* ]]; then
            echo "install: $to/bin/$name is there and is not the kit's" >&2
            exit 2
        fi
    done
    remove_all
    install -d "$to/bin" "$kit/build/bin" "$kit/build/lib/vgpu" "$kit/build/lib/labcc" "$kit/common/mk" "$kit/common/lab" "$to/share/doc/cuda-lab-kit"
    install -m 755 "$build"/bin/{vgpu,grade,grade-runner,labtool,profile-table,labcc} "$kit/build/bin/"
    install -m 755 "$build"/lib/vgpu/*.so* "$kit/build/lib/vgpu/"
    install -m 755 "$build"/lib/labcc/*.so* "$kit/build/lib/labcc/"
    install -m 644 "$build"/lib/liblab{,-own}.a "$kit/build/lib/"
    cp -r --no-preserve=ownership "$build/include" "$kit/build/" && chmod -R u=rwX,go=rX "$kit/build/include"
    install -m 644 common/mk/{toolchain,lab}.mk "$kit/common/mk/"
    install -m 644 common/lab/*.h "$kit/common/lab/"
    for name in common/lab/*.sh; do install -m "$(mode_of "$name")" "$name" "$kit/common/lab/"; done
    install_labs
    if [ -n "${SOLUTIONS:-}" ]; then install_solutions; fi
    for name in vgpu grade; do ln -s "../lib/cuda-lab-kit/build/bin/$name" "$to/bin/$name"; done
    install -m 644 LICENSE README.md NEWS.md docs/*.md "$to/share/doc/cuda-lab-kit/"
    install_completions
    if [ -e "$build/man/grade.1" ]; then
        install -d "$to/share/man/man1"
        install -m 644 "$build"/man/{vgpu,grade}.1 "$to/share/man/man1/"
    else
        echo "no man pages: they need pandoc (\`make setup-all\`)"
    fi
    echo "installed in $to: the commands vgpu and grade, and the labs in $kit/labs"
}

case ${1:-} in
install) install_all ;;
uninstall)
    is_there || { echo "uninstall: there is no kit in $to; PREFIX=DIR says where it was installed" >&2; exit 2; }
    remove_all
    echo "removed the kit from $to"
    ;;
*) echo "usage: install.sh install|uninstall" >&2; exit 2 ;;
esac
