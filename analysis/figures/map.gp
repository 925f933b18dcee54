# Two rows, B over the L2 and K, of two panels; $POINTS has a series for each axis, panel and kind, then for each
# axis and panel that of the setting shown
LINES = (KINDS + 1) / 2
set multiplot layout 2, 2 margins screen 0.11, 0.985, 50. / HEIGHT, 1 - (TOP + 30. + 20 * LINES) / HEIGHT spacing screen 0.05, 64. / HEIGHT
set logscale xy
set yrange [YMIN / 1.06 : YMAX * 1.06]
set tics font ',12'
unset key
set label 999 'gain of the best order (×)' at screen 0.022, 0.46 center rotate textcolor rgb INK
do for [k = 1:KINDS] { set label k KIND[k] at screen 0.06 + 0.47 * ((k - 1) % 2), 1 - (TOP + 12. + 20 * ((k - 1) / 2)) / HEIGHT left offset 1, 0 font letters(KIND[k], 30, 12) textcolor rgb INK point pointtype 7 pointsize 0.6 linecolor rgb COLOURS[k] }
if (YMIN < 1 && YMAX > 1) { set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb INK linewidth 0.7 }
do for [axis = 0:1] {
    low = axis ? KMIN : FMIN
    high = axis ? KMAX : FMAX
    set xrange [low / 1.3 : high * 1.3]
    set xlabel axis ? 'K' : 'B over the L2 (×)' offset 0, 0.9
    do for [p = 1:2] {
        eval powers('x', low, high, 5, 1)
        eval factors('y', YMIN, YMAX, p == 1)
        unset title
        if (axis == 0) { set title PANEL[p] offset 0, -0.7 font ',13' textcolor rgb INK }
        plot for [k = 1:KINDS] $POINTS index (axis * 2 + p - 1) * KINDS + k - 1 using 1:2 with points pointtype 7 pointsize dot(MATRICES) * 1.3 linecolor rgb COLOURS[k], \
            for [k = 1:SHOWN] $POINTS index 4 * KINDS + axis * 2 + p - 1 using 1:2 with points pointtype 6 pointsize dot(MATRICES) * 2 linewidth 0.5 linecolor rgb INK
        unset label
    }
}
unset multiplot
