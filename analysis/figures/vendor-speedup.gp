# A group of bars per arena; $BARS has a series for each: what (0 .. 2), geomean, mean
stats $BARS using 2 nooutput prefix 'BAR'
low = BAR_min < 1 ? BAR_min / 1.25 : 0.9
high = BAR_max > 1 ? BAR_max * 1.4 : 1.2
set logscale x
set xrange [low:high]
eval factors('x', low, high, 1)
set yrange [GROUPS - 0.55:-0.65]
set border 1
set grid xtics noytics
unset ytics
set lmargin screen 0.03
set rmargin screen 0.97
set tmargin screen 1 - 80. / HEIGHT
set xlabel 'geomean speedup over the fastest cuSPARSE (×)'
set key at screen 0.03, 1 - 6. / HEIGHT left top vertical Left reverse samplen 1.5 maxrows 3
set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead linecolor rgb INK linewidth 0.7
do for [g = 1:GROUPS] { set label g wrap(ARENAS[g], 84) font letters(ARENAS[g], 52, 14) at graph 0, first g - 1.46 left textcolor rgb INK }
place(g, k) = g - 0.95 + (k - 1) * 0.23
NAMES = '"reference kernel, csr" "fastest kernel, csr" "fastest kernel and order"'
plot for [k = 0:2] for [g = 1:GROUPS] $BARS index g - 1 using ($1 == k ? 1 : NaN):(place(g, k)):(1):2:(place(g, k) - 0.1):(place(g, k) + 0.1) \
         with boxxyerror linecolor rgb word(C1.' '.C2.' '.C3, k + 1) fillstyle solid (g == SHOWN ? 0.85 : 0.3) title (g == SHOWN ? word(NAMES, k + 1) : ''), \
     for [g = 1:GROUPS] $BARS index g - 1 using ($2 < 1 ? 1 : $2):(place(g, $1)):(sprintf(' %.2f', $2)) with labels left font ',12' textcolor rgb INK
