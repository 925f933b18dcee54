# $GAINS has a series for each curve: place (%), gain, its interval
stats $GAINS using 3 nooutput prefix 'LOW'
stats $GAINS using 4 nooutput prefix 'HIGH'
low = LOW_min < 1 ? LOW_min : 1.
high = HIGH_max > 1 ? HIGH_max : 1.
low = low / 1.04; high = high * 1.04
set logscale y
set yrange [low:high]
set xrange [0:100]
eval factors('y', low, high, 1)
set xlabel 'matrices, the smallest gain first (%)'
set ylabel 'gain of the best plan (×)' offset 1, 0
set lmargin screen 0.14
set rmargin screen 0.96
set tmargin screen 1 - (TOP + 52.) / HEIGHT
set key at screen 0.5, 1 - (TOP + 6.) / HEIGHT center top vertical maxrows 2 samplen 1.5 Left reverse
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb INK linewidth 0.7
array HUES[2] = [C1, C2]
plot for [k = 1:2] $GAINS index k - 1 using (COUNT[k] > FEW ? $1 : NaN):3:4 with filledcurves fillstyle transparent solid 0.3 noborder linecolor rgb HUES[k], \
     for [k = 1:2] $GAINS index k - 1 using (COUNT[k] > FEW ? NaN : $1):2:3:4 with yerrorbars pointtype 7 pointsize 0.3 linewidth 1.5 linecolor rgb HUES[k], \
     for [k = 1:2] $GAINS index k - 1 using 1:2 with linespoints pointtype 7 pointsize (COUNT[k] > FEW ? 0 : 0.5) linewidth 2 linecolor rgb HUES[k] title (COUNT[k] ? NAME[k] : '')
