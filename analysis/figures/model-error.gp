# $CURVES has CURVES series: error, share of predictions; the first is of all classes
stats $CURVES using 1 nooutput prefix 'ERROR'
set logscale x
set xrange [ERROR_min / 1.2 : ERROR_max * 1.2]
set yrange [0:100]
eval powers('x', ERROR_min, ERROR_max, 6, 1)
set xlabel 'absolute error of at most (%)'
set ylabel 'share of predictions (%)' offset 1, 0
set lmargin screen 0.14
set rmargin screen 0.97
set tmargin screen 1 - (TOP + 14. + 22 * CURVES) / HEIGHT
set key at screen 0.13, 1 - (TOP + 6.) / HEIGHT left top vertical Left reverse samplen 2 maxrows CURVES font ',13'
plot for [c = 1:CURVES] $CURVES index c - 1 using 1:2 with linespoints pointtype 7 pointsize 0.35 linewidth (c == 1 ? 3 : 1.5) dashtype DASHES[c] linecolor rgb COLOURS[c] title CURVE[c]
