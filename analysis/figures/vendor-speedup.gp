# A group of bars per arena; $BARS has a series for each: what (0 .. 2), geomean, mean
stats $BARS using 2 nooutput prefix 'BAR'
low = BAR_min < 1 ? BAR_min / 1.25 : 0.9
high = BAR_max > 1 ? BAR_max * 1.25 : 1.1
set logscale x
set xrange [low:high]
eval factors('x', low, high, 1)
set yrange [GROUPS - 0.3:-0.7]
set border 1
set grid xtics noytics
set ytics scale 0 ()
do for [g = 1:GROUPS] { set ytics add (ARENAS[g] g - 1) }
set lmargin screen 0.27
set xlabel 'geomean speedup over the fastest cuSPARSE (×)'
set key outside top left vertical Left reverse samplen 1.5
set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead linecolor rgb INK linewidth 0.7
NAMES = '"reference kernel, csr" "fastest kernel, csr" "fastest kernel and order"'
plot for [k = 0:2] for [g = 1:GROUPS] $BARS index g - 1 using ($1 == k ? 1 : NaN):(g - 1 + ($1 - 1) * 0.27):(1):2:(g - 1 + ($1 - 1) * 0.27 - 0.12):(g - 1 + ($1 - 1) * 0.27 + 0.12) \
         with boxxyerror linecolor rgb word(C1.' '.C2.' '.C3, k + 1) title (g == 1 ? word(NAMES, k + 1) : ''), \
     for [g = 1:GROUPS] $BARS index g - 1 using ($2 < 1 ? 1 : $2):(g - 1 + ($1 - 1) * 0.27):(sprintf(' %.2f', $2)) with labels left font ',12' textcolor rgb INK
