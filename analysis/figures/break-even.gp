# $STEPS has CURVES series: products, share of matrices
set logscale x
set xrange [1:1e6]
set yrange [0:100]
eval powers('x', 1, 1e6, 7, 1)
set xlabel 'products'
set ylabel 'share of matrices (%)' offset 1, 0
set lmargin screen 0.14
set rmargin screen 0.97
set tmargin screen 1 - (14. + 22 * CURVES) / HEIGHT
set key at screen 0.13, 1 - 6. / HEIGHT left top vertical Left reverse samplen 2 maxrows CURVES
plot for [c = 1:CURVES] $STEPS index c - 1 using 1:2 with steps linewidth (c == SHOWN ? 3.5 : 1) dashtype DASHES[c] linecolor rgb COLOURS[c] title CURVE[c]
