# For the scripts of `make run` and `make check`: sentences in the student's language.
#
#   say ENGLISH [VALUE...]     prints the sentence, in KIT_LANG where the lab speaks it, with the values in the places of its %s
say() {
    local sentence
    sentence=$("${KIT_BUILD:-}/bin/labtool" say . "$1" 2>/dev/null) || sentence=$1
    # shellcheck disable=SC2059
    printf "$sentence\n" "${@:2}" | fit
}

# Lines that fit the terminal.
fit() {
    if [ -t 1 ] && [ -x "${KIT_BUILD:-}/bin/labtool" ]; then "$KIT_BUILD/bin/labtool" wrap
    else cat; fi
}
