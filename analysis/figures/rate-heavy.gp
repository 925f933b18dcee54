# PANELS of $POINTS1 ..., $TREND has a series for each; the share decreases to the right, as in the paper
HIGH = 0; LOW = 1e30
do for [p = 1:PANELS] {
    stats '$POINTS'.p using 1:2 nooutput
    HIGH = STATS_max_y > HIGH ? STATS_max_y : HIGH
    LOW = STATS_min_y < LOW ? STATS_min_y : LOW
}
if (HIGH < 4 * LOW) { LOW = LOW / 2; HIGH = HIGH * 2 }
set multiplot
set logscale y
set xrange [1.03 : -0.03]
set yrange [LOW / 1.3 : HIGH * 1.3]
set tics font ',12'
set xtics 0.25
set label 1 'share of heavy entries' at screen 0.54, 14. / HEIGHT center textcolor rgb INK
set label 2 'throughput (GFLOP/s)' at screen 0.022, 0.55 center rotate textcolor rgb INK
set tmargin screen 1 - (TOP + 26.) / HEIGHT
set bmargin screen 62. / HEIGHT
w = 0.86 / PANELS
do for [p = 1:PANELS] {
    set lmargin screen 0.125 + (p - 1) * w
    set rmargin screen 0.125 + p * w - 0.025
    eval powers('y', LOW, HIGH, 6, p == 1)
    set title PANEL[p] offset 0, -0.7 font (PANELS > 1 ? ',12' : ',13') textcolor rgb INK
    plot '$POINTS'.p using 1:2 with points pointtype 7 pointsize dot(MATRICES) linecolor rgb C1, \
         $TREND index 0 using 1:2 with lines linewidth 2 linecolor rgb C7, \
         $TREND index p - 1 using 1:2 with lines linewidth 2 linecolor rgb C2
    unset label
}
unset multiplot
