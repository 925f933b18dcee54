# Of speedup-density, speedup-rows and order-cost: ROWS of three panels; $POINTS and $TREND have a series for each
COST = CSV eq 'order-cost.csv'
XNAME = COST ? 'entries' : CSV eq 'speedup-rows.csv' ? 'rows' : 'density (entries / (rows × columns))'
set multiplot layout ROWS, 3 margins screen 0.14, 0.97, 62. / HEIGHT, 1 - (TOP + 24. + EXTRA) / HEIGHT spacing screen 0.035, (34. + EXTRA) / HEIGHT
set logscale xy
set xrange [XMIN / 1.3 : XMAX * 1.3]
set yrange [YMIN / 1.06 : YMAX * 1.06]
set tics font ',12'
set label 1 XNAME at screen 0.54, 14. / HEIGHT center textcolor rgb INK
set label 2 (COST ? 'time to order (products in csr)' : 'speedup over csr (×)') at screen 0.022, 0.5 center rotate textcolor rgb INK
do for [p = 1:PANELS] {
    eval powers('x', XMIN, XMAX, 4, p > PANELS - 3)
    eval (COST ? powers('y', YMIN, YMAX, 4, p % 3 == 1) : factors('y', YMIN, YMAX, p % 3 == 1))
    set title wrap(PANEL[p], 28) offset 0, -0.7 font letters(PANEL[p], 19, 13) textcolor rgb INK
    if (YMIN < 1 && YMAX > 1) { set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb INK linewidth 0.7 }
    plot $POINTS index p - 1 using 1:2 with points pointtype 7 pointsize dot(MATRICES) linecolor rgb C1, \
         $TREND index p - 1 using 1:2 with lines linewidth 2 linecolor rgb C2
    unset label
}
unset multiplot
