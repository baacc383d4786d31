# For docs/test/*.t: a small kit of two labs in a folder of its own, so that the tests hold whatever the labs say.
#
#   need TOOL...         skips the test when one is not installed
#   ok WHAT COMMAND...   one test point; the command's output is shown when it fails
#   $kit                 the small kit: this kit's Makefile, common, grader and docs, with labs 01-alpha and 02-beta

unset MAKEFLAGS MFLAGS MAKELEVEL SOLUTIONS PAPER KIT_LANG # of a make that runs this test
kit=$(mktemp -d)
trap 'rm -rf "$kit"' EXIT
points=0

need() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "1..0 # SKIP $tool is not installed"; exit 0; }
    done
}

ok() {
    local what=$1 shown
    shift
    points=$((points + 1))
    if shown=$("$@" 2>&1); then
        echo "ok $points - $what"
    else
        echo "not ok $points - $what"
        printf '%s\n' "$shown" | tail -n 20 | sed 's/^/# /'
    fi
}

not() { ! "$@"; }

make_kit() {
    local part
    for part in Makefile common grader docs; do ln -s "$KIT/$part" "$kit/$part"; done
    mkdir -p "$kit"/{labs,solutions}/{01-alpha,02-beta}
    for lab in 01-alpha 02-beta; do
        cat >"$kit/labs/$lab/lab.yaml" <<END
schema: 1
lab: $lab
title: The letter ${lab#*-}
goal: Know the letter.
minutes: 20
files: [letter.cu]
points: 100
cases:
  - {name: first-case, points: 30, message: "One element, \`n = 1\`."}
  - {name: second-case, points: 25.5}
END
        cat >"$kit/solutions/$lab/hidden.yaml" <<END
schema: 1
lab: $lab
cases:
  - {name: secret-case, points: 44.5, message: The secret one.}
END
        cat >"$kit/solutions/$lab/letter.cu" <<'END'
//@ show kernel
__global__ void letter(int *out)
{
    //@ solution 1
    out[threadIdx.x] = 42;
    //@ stub
    //| // TODO 1: write.
    //@ end
}
//@ end
END
        printf '# Notes: %s\n\n## What is hard\n\nNothing much.\n' "$lab" >"$kit/solutions/$lab/notes.md"
        echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30"><title>A box stands alone.</title><rect width="80" height="20" fill="#dbe9f6"/></svg>' >"$kit/labs/$lab/box.svg"
    done
    cat >"$kit/labs/01-alpha/README.md" <<'END'
# Lab 01: Alpha

The first. After it comes lab 02; there is no lab 77.

## The idea

![A blue box that stands alone](box.svg)

A launch is `kernel<<<blocks, threads>>>(...)`. It costs $t = a + \frac{n}{b}$. More of it later.

| call | meaning |
|---|---|
| `f(x)` | short |

<!-- show letter.cu kernel -->
```c
__global__ void letter(int *out)
{
    letter<<<1, 32>>>(out); // launch
}
```
<!-- end -->

## How it is graded

By cases.

## Hints

Folded.

<!-- hints -->
<details><summary>TODO 1: a question</summary>

Which one, a <<<4, 5>>>?

</details>
<details><summary>TODO 1: the idea</summary>

That one. And this.

</details>
<!-- end -->

## Questions

1. Why a launch, a launch, a launch, a launch, a launch? Because.
END
    printf '# Lab 02: Beta\n\nThe second; see [the first](../01-alpha/README.md) or (lab 01).\n\n## The idea\n\nNone.\n' >"$kit/labs/02-beta/README.md"
}

make_in_kit() { make -s -C "$kit" BUILD=build "$@"; }
