#!/bin/bash
# Run once by Gradescope, as root, when it builds the image of an autograder: installs what the kit needs, nvcc included, and builds
# the kit. The image must be a Debian or Ubuntu; one that has the CUDA Toolkit already keeps it.
#
#   setup.sh        AUTOGRADER: where Gradescope's folders are (default: /autograder)
set -euo pipefail
root=${AUTOGRADER:-/autograder}
kit=$root/source/kit
cuda=13-0

# From NVIDIA's repository of packages, as its installation guide describes: the compiler and the runtime's headers, no driver.
install_nvcc() {
    local id version machine repository
    id=$(. /etc/os-release && echo "$ID")
    version=$(. /etc/os-release && echo "$VERSION_ID")
    [ "$id" = debian ] || version=${version//./}
    machine=$(uname -m)
    repository=https://developer.download.nvidia.com/compute/cuda/repos/$id$version/${machine/aarch64/sbsa}
    apt-get install -y --no-install-recommends ca-certificates curl
    curl -fsSL -o /tmp/cuda-keyring.deb "$repository/cuda-keyring_1.1-1_all.deb"
    dpkg -i /tmp/cuda-keyring.deb
    rm /tmp/cuda-keyring.deb
    apt-get update
    apt-get install -y --no-install-recommends "cuda-nvcc-$cuda" "cuda-cudart-dev-$cuda"
}

export DEBIAN_FRONTEND=noninteractive
apt-get update
if ! command -v nvcc >/dev/null && ! ls /usr/local/cuda*/bin/nvcc >/dev/null 2>&1; then
    install_nvcc
fi
"$kit/common/mk/setup.sh" base
make -C "$kit" -j"$(nproc)"

# Hidden cases, references and the seed are root's; the program of a student runs as somebody else.
chmod 700 "$kit/solutions"
chmod 600 "$root/source/autograder.conf"
chmod 711 "$kit/build/labs"/*/
chmod 700 "$kit/build/labs"/*/judge
"$kit/build/bin/grade" doctor || true
