# Draws build/sweep.dat (threads, microseconds, occupancy): as text on the terminal, and as build/sweep.svg.
set logscale x 2
set xrange [1:1024]
set yrange [0:*]
set xlabel "threads of a block"
set key top center

set terminal dumb size 79, 20
set ylabel "us"
set logscale y
set yrange [1:*]
plot "build/sweep.dat" using 1:2 with points pt "o" title "time"
unset logscale y
set yrange [0:*]

set terminal svg size 760, 420 font "sans-serif,13" background "white"
set output "build/sweep.svg"
set title "walk_kernel: time and occupancy over the size of a block"
set ylabel "microseconds"
set y2label "occupancy"
set y2range [0:1.05]
set y2tics 0.25
set ytics nomirror
set xtics (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
set grid x
plot "build/sweep.dat" using 1:2 with linespoints lw 2 pt 7 ps 0.5 lc rgb "#1e40af" title "time", \
     "" using 1:3 axes x1y2 with linespoints lw 2 pt 5 ps 0.5 lc rgb "#92400e" title "occupancy"
