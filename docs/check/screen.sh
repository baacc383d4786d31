#!/bin/bash
# screen.sh PAGE.html...: pages in headless Chromium, at the sizes that people use.
#
#   a page     at 360, 1024 and 1920 px: nothing makes it wider than the screen (code and tables scroll inside of themselves)
#   slides     at 1024 x 768 and 1920 x 1080: every slide fits its screen, and is not made smaller than 0.8 for that
#
# Prints "page: what" for each fault; exit status 1 when there is one, 3 when Chromium did not look.
set -uo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{
    echo '<!DOCTYPE html><html><body><pre id="out"></pre><script>const pages = ['
    for page in "$@"; do printf '"%s",\n' "$(realpath "$page")"; done
    cat <<'END'
];
function frame(page, width, height) {
    return new Promise(function (done) {
        const frame = document.createElement('iframe');
        frame.style = 'border: 0; width: ' + width + 'px; height: ' + height + 'px';
        frame.onload = function () { done(frame); };
        frame.src = 'file://' + page;
        document.body.append(frame);
    });
}
async function look(page, width, height, faults) {
    const shown = await frame(page, width, height), root = shown.contentDocument.documentElement;
    const slides = root.querySelectorAll('.slide');
    if (root.scrollWidth > width) faults.push(page + ': at ' + width + ' px it is ' + root.scrollWidth + ' px wide');
    slides.forEach(function (slide, i) {
        slides.forEach(function (other) { other.classList.toggle('shown', other === slide); });
        const tall = slide.getBoundingClientRect().height;
        if (slide.style.zoom && slide.style.zoom < 0.8) faults.push(page + ': at ' + width + ' px slide ' + (i + 1) + ' is full: it is shown at ' + slide.style.zoom);
        if (tall > height + 1) faults.push(page + ': at ' + width + ' px slide ' + (i + 1) + ' is ' + Math.round(tall) + ' px tall, the screen ' + height);
    });
    shown.remove();
}
(async function () {
    const faults = [];
    for (const page of pages)
        for (const size of page.endsWith('-slides.html') ? [[1024, 768], [1920, 1080]] : [[360, 640], [1024, 768], [1920, 1080]])
            await look(page, size[0], size[1], faults);
    document.getElementById('out').textContent = 'LOOKED AT ' + pages.length + '\n' + faults.map(function (f) { return 'FAULT ' + f + '\n'; }).join('');
}());
</script></body></html>
END
} >"$work/look.html"

timeout 300 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$work/profile" --allow-file-access-from-files --virtual-time-budget=240000 --dump-dom "file://$work/look.html" >"$work/seen" 2>/dev/null
grep -q "LOOKED AT $#\$" "$work/seen" || { echo "chromium did not look at all pages"; exit 3; }
sed -n 's/^FAULT //p' "$work/seen"
! grep -q '^FAULT ' "$work/seen"
