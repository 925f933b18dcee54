# PANELS of $POINTS1 ..., $TREND has a series for each; more than four stand in two rows
HIGH = 0; LOW = 1e30; RIGHT = 0; LEFT = 1e30
do for [p = 1:PANELS] {
    stats '$POINTS'.p using 1:2 nooutput
    HIGH = STATS_max_y > HIGH ? STATS_max_y : HIGH
    LOW = STATS_min_y < LOW ? STATS_min_y : LOW
    RIGHT = STATS_max_x > RIGHT ? STATS_max_x : RIGHT
    LEFT = STATS_min_x < LEFT ? STATS_min_x : LEFT
}
if (RIGHT < 4 * LEFT) { LEFT = LEFT / 2; RIGHT = RIGHT * 2 }
if (HIGH < 4 * LOW) { LOW = LOW / 2; HIGH = HIGH * 2 }
ROWS = PANELS > 4 ? 2 : 1
COLUMNS = (PANELS + ROWS - 1) / ROWS
set multiplot layout ROWS, COLUMNS margins screen 0.125, 0.985, 62. / HEIGHT, 1 - (TOP + 26.) / HEIGHT spacing screen 0.03, 34. / HEIGHT
set logscale xy
set xrange [LEFT / 1.3 : RIGHT * 1.3]
set yrange [LOW / 1.3 : HIGH * 1.3]
set tics font ',12'
set label 1 'entries' at screen 0.54, 14. / HEIGHT center textcolor rgb INK
set label 2 'rate (Gflop/s)' at screen 0.022, 0.55 center rotate textcolor rgb INK
do for [p = 1:PANELS] {
    eval powers('x', LEFT, RIGHT, 10 / COLUMNS, p > PANELS - COLUMNS)
    eval powers('y', LOW, HIGH, 6, p % COLUMNS == (COLUMNS == 1 ? 0 : 1))
    set title PANEL[p] offset 0, -0.7 font ',13' textcolor rgb INK
    plot '$POINTS'.p using 1:2 with points pointtype 7 pointsize dot(MATRICES) linecolor rgb C1, \
         $TREND index p - 1 using 1:2 with lines linewidth 2 linecolor rgb C2
    unset label
}
unset multiplot
