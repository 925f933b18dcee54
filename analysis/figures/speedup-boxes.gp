# A panel per device; $BOXES has a series for each: policy, min, 5 %, 25 %, median, 75 %, 95 %, max, geomean, mean
stats $BOXES using (strlen(strcol(1))) nooutput prefix 'NAME'
stats $BOXES using 2 nooutput prefix 'LOW'
stats $BOXES using 8 nooutput prefix 'HIGH'
set logscale x
set xrange [LOW_min / 1.05 : HIGH_max * 1.05]
eval factors('x', LOW_min / 1.05, HIGH_max * 1.05, 1)
set grid xtics noytics
set border 1
set ytics scale 0
FONT = names(NAME_max)
set ytics font FONT
set lmargin screen margin(NAME_max)
set rmargin screen 0.97
top = HEIGHT - TOP - 6
set multiplot
do for [d = 1:DEVICES] {
    bottom = top - LINES[d] * 24 - 24
    set tmargin screen 1. * (top - 24) / HEIGHT
    set bmargin screen 1. * bottom / HEIGHT
    top = bottom - 40
    set yrange [LINES[d] - 0.4 : -0.6]
    set label 2 wrap(PANEL[d], 66) at screen 0.5, screen 1. * (top - 8) / HEIGHT center font ',13' textcolor rgb INK
    if (d == DEVICES) { set label 1 'speedup over csr (×)' at screen 0.58, 14. / HEIGHT center textcolor rgb INK }
    set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead linecolor rgb INK linewidth 0.7
    plot $BOXES index d - 1 using 3:0:($7 - $3):(0):ytic(line(strcol(1), NAME_max)) with vectors nohead linewidth 1.5 linecolor rgb C1, \
         '' index d - 1 using 5:0:4:6:($0 - 0.3):($0 + 0.3) with boxxyerror linecolor rgb C1, \
         '' index d - 1 using 5:($0 - 0.3):(0):(0.6) with vectors nohead linewidth 3 linecolor rgb C2, \
         '' index d - 1 using 2:0 with points pointtype 7 pointsize 0.3 linecolor rgb C1, \
         '' index d - 1 using 8:0 with points pointtype 7 pointsize 0.3 linecolor rgb C1, \
         '' index d - 1 using 9:0 with points pointtype 2 pointsize 0.5 linewidth 1.5 linecolor rgb INK
    unset label
}
unset multiplot
