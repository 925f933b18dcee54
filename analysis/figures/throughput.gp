# Of throughput, modelling, roofline and rate-heavy: PANELS of $POINTS1 ..., $TREND has a series for each
SHARE = CSV eq 'rate-heavy.csv' # it decreases to the right, as in the paper
HIGH = 0; LOW = 1e30; RIGHT = 0; LEFT = 1e30
do for [p = 1:PANELS] {
    stats '$POINTS'.p using 1:2 nooutput
    HIGH = STATS_max_y > HIGH ? STATS_max_y : HIGH
    LOW = STATS_min_y < LOW ? STATS_min_y : LOW
    RIGHT = STATS_max_x > RIGHT ? STATS_max_x : RIGHT
    LEFT = STATS_min_x < LEFT ? STATS_min_x : LEFT
}
if (!exists('LIMITS')) { LIMITS = 0 }
do for [i = 1:LIMITS] { HIGH = LIMIT[i] > HIGH ? LIMIT[i] : HIGH; LOW = 0.8 * LIMIT[i] < LOW ? 0.8 * LIMIT[i] : LOW }
if (RIGHT < 4 * LEFT) { LEFT = LEFT / 2; RIGHT = RIGHT * 2 }
if (HIGH < 4 * LOW) { LOW = LOW / 2; HIGH = HIGH * 2 }
set multiplot
set logscale y
if (SHARE) { set xrange [1.03 : -0.03]; set xtics 0.25 } else { set logscale x; set xrange [LEFT / 1.3 : RIGHT * 1.3] }
set yrange [LOW / 1.3 : HIGH * 1.3]
set tics font ',12'
set label 1 (SHARE ? 'share of heavy entries' : 'entries') at screen 0.54, 14. / HEIGHT center textcolor rgb INK
set label 2 (CSV eq 'roofline.csv' ? 'share of the highest rate' : 'throughput (Gflop/s)') at screen 0.022, 0.55 center rotate textcolor rgb INK
most = 1
do for [p = 1:PANELS] { most = lines(PANEL[p], 72 / PANELS) > most ? lines(PANEL[p], 72 / PANELS) : most }
set tmargin screen 1 - (TOP + 26. + 12 * (most - 1)) / HEIGHT
set bmargin screen 62. / HEIGHT
w = 0.845 / PANELS
do for [p = 1:PANELS] {
    set lmargin screen 0.14 + (p - 1) * w
    set rmargin screen 0.14 + p * w - 0.025
    if (!SHARE) { eval powers('x', LEFT, RIGHT, 10 / PANELS, 1) }
    eval powers('y', LOW, HIGH, 6, p == 1)
    set title wrap(PANEL[p], 80 / PANELS) offset 0, -0.7 font letters(PANEL[p], 56 / PANELS, PANELS > 1 ? 12 : 13) textcolor rgb INK
    do for [i = 1:LIMITS] {
        set arrow i from graph 0, first LIMIT[i] to graph 1, first LIMIT[i] nohead linewidth 1 dashtype i + 1 linecolor rgb INK
        if (p == 1) { set label 2 + i LIMIT_NAME[i] at graph 0.03 + 0.6 * (i - 1), first LIMIT[i] * 0.8 font ',10' textcolor rgb INK }
    }
    plot '$POINTS'.p using 1:2 with points pointtype 7 pointsize dot(MATRICES) linecolor rgb C1, \
         $TREND index 0 using 1:2 with lines linewidth 2 linecolor rgb C7, \
         $TREND index p - 1 using 1:2 with lines linewidth 2 linecolor rgb C2
    unset label
}
unset multiplot
