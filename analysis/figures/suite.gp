# six series over the matrices by number; $MEANS has from, to and six means a block, NAMES of the blocks between |
array TITLES[6] = ['CSR-k, Band-k', 'CSR-k, natural', 'csrk-split', 'CSR5, natural', 'cuSPARSE, RCM', 'cuSPARSE, natural']
block(i) = NAMES[(i == 1 ? 1 : at(i - 1) + 1):at(i) - 1]
at(i) = i == 0 ? 0 : at(i - 1) + strstrt(NAMES[at(i - 1) + 1:].'|', '|')
set xrange [-1:MATRICES]
set logscale y
set grid noxtics ytics
unset xtics
set xlabel 'matrices'
set ylabel 'rate (Gflop/s)'
set key outside bottom center horizontal samplen 1 maxcols 2 width -4
set tmargin screen 1 - (TOP + 40.) / HEIGHT
# names over their blocks, every second one higher, those that begin on the right end with their blocks: blocks may be narrow
do for [i = 1:BLOCKS] {
    stats $MEANS every ::i - 1::i - 1 using 1:2 nooutput
    high = i % 2 ? 1.03 : 1.1
    if (STATS_min_x < 0.5 * MATRICES) { set label 100 + i block(i) at STATS_min_x, graph high left font ',12' textcolor rgb INK } \
    else { set label 100 + i block(i) at STATS_min_y, graph high right font ',12' textcolor rgb INK }
    if (i > 1) { set arrow 100 + i from STATS_min_x - 0.5, graph 0 to STATS_min_x - 0.5, graph high nohead linecolor rgb INK dashtype 2 }
}
plot for [s = 1:6] CSV skip 1 using 1:(column(5 + s)) with points pointtype 7 pointsize dot(MATRICES) linecolor rgb COLOURS[s] title TITLES[s], \
     for [s = 1:6] $MEANS using 1:(column(2 + s)):($2 - $1):(0) with vectors nohead linewidth 2 dashtype DASHES[s] linecolor rgb COLOURS[s]
