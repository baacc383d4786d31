#!/bin/bash
# A judge that does what the name of the case folder says: what the client must survive.
while IFS=$'\t' read -r command dir rest; do
    [ "$command" = quit ] && exit 0
    case $dir in
    echo) # says what it was asked, so that the test sees the command line
        printf '{"ok":true,"verdict":"pass","message":"%s|%s|%s","outputs":[]}\n' "$command" "$dir" "${rest//$'\t'/|}" ;;
    wrong)
        echo '{"ok":true,"verdict":"wrong-result","message":"2 of 100 differ","outputs":[{"name":"c","elements":100,"mismatches":2,"max_error":null,"pattern":"tail only","first":[{"index":98,"got":null,"wanted":1.5,"error":null,"allowed":1e-6}]}]}' ;;
    refuse) echo '{"ok":false,"message":"n must not be negative"}' ;;
    nonsense) echo 'PASS' ;;
    badverdict) echo '{"ok":true,"verdict":"race","message":"","outputs":[]}' ;;
    badtype) echo '{"ok":true,"verdict":"pass","message":7,"outputs":{}}' ;;
    slow) sleep 30 ;;
    die) echo "reference.c:12: cannot" >&2; exit 2 ;;
    crash) kill -SEGV $$ ;;
    flood) head -c 6000000 /dev/zero | tr '\0' x; echo ;;
    *) echo '{"ok":true}' ;;
    esac
done
