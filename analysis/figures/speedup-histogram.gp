# ROWS of three panels; $BINS has a series for each: from, to, share
set multiplot layout ROWS, 3 margins screen 0.14, 0.97, 62. / HEIGHT, 1 - (TOP + 24. + EXTRA) / HEIGHT spacing screen 0.035, (34. + EXTRA) / HEIGHT
set logscale x
set xrange [0.47:2.12]
set yrange [0:100]
set tics font ',12'
set grid noxtics ytics
set label 1 'speedup over csr (×)' at screen 0.54, 14. / HEIGHT center textcolor rgb INK
set label 2 'share of matrices (%)' at screen 0.022, 0.5 center rotate textcolor rgb INK
do for [p = 1:PANELS] {
    eval factors('x', 0.47, 2.12, p > PANELS - 3)
    set ytics 25
    if (p % 3 == 1) { set format y '%g' } else { set format y '' }
    set title wrap(PANEL[p], 28) offset 0, -0.7 font letters(PANEL[p], 19, 13) textcolor rgb INK
    set label 3 sprintf('−%.0f %%', SLOWER[p]) at graph 0.04, 0.85 left font ',12' textcolor rgb C2
    set label 4 sprintf('+%.0f %%', FASTER[p]) at graph 0.98, 0.85 right font ',12' textcolor rgb C1
    set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead linecolor rgb INK linewidth 0.7
    plot $BINS index p - 1 using ($3 > 0 ? $1 : NaN):3:1:2:(0):3 with boxxyerror linecolor rgb C1
    unset label
}
unset multiplot
