# $GAINS has a series for each curve: place (%), gain, its interval, 1 where it has none
stats $GAINS using 3 nooutput prefix 'LOW'
stats $GAINS using 4 nooutput prefix 'HIGH'
low = LOW_min < 1 ? LOW_min : 1.
high = HIGH_max > 1 ? HIGH_max : 1.
low = low / 1.04; high = high * 1.04
set logscale y
set yrange [low:high]
set xrange [0:100]
# Factors, in a narrow range more of them, and around 1 alone round steps to both sides: never one number alone
FINE = '0.4 0.5 0.6 0.7 0.8 0.9 1 1.2 1.4 1.6 1.8 2 2.4'
near_list(i, step) = 1 + i * step > high ? '' : \
    sprintf('"%g" %g, ', 1 + i * step, 1 + i * step).near_list(i + 1, step)
gain_tics = high / low > 1.3 ? factor_list(high / low > 2.6 ? factors_of(low, high) : FINE, 1, low, high, 1) : \
    near_list(int(ceil((low - 1) / step(high - low))), step(high - low))
eval sprintf('set ytics (%s"" 1e-30)', gain_tics)
set xlabel 'matrices, the smallest gain first (%)'
# at a place of its own: gnuplot leaves out a title that long labels of tics leave no room for
set label 1 'gain of the best plan (×)' at screen 0.022, graph 0.5 center rotate textcolor rgb INK
set lmargin screen 0.165
set pointintervalbox 0 # no halo of the paper's colour around points
set rmargin screen 0.96
set tmargin screen 1 - (TOP + 52.) / HEIGHT
set key at screen 0.5, 1 - (TOP + 6.) / HEIGHT center top vertical maxrows 2 samplen 1.5 Left reverse
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb INK linewidth 0.7
array HUES[2] = [C1, C2]
plot for [k = 1:2] $GAINS index k - 1 using (COUNT[k] > FEW ? $1 : NaN):3:4 with filledcurves fillstyle transparent solid 0.3 noborder linecolor rgb HUES[k], \
     for [k = 1:2] $GAINS index k - 1 using (COUNT[k] > FEW ? NaN : $1):3:(0):($4 - $3) with vectors nohead linewidth 1.5 linecolor rgb HUES[k], \
     for [k = 1:2] $GAINS index k - 1 using (COUNT[k] > FEW || $5 == 1 ? NaN : $1):2 with points pointtype 7 pointsize 0.5 linecolor rgb HUES[k], \
     for [k = 1:2] $GAINS index k - 1 using (COUNT[k] > FEW || $5 == 0 ? NaN : $1):2 with points pointtype 6 pointsize 0.6 linewidth 1.5 linecolor rgb HUES[k], \
     for [k = 1:2] $GAINS index k - 1 using 1:2 with lines linewidth 2 linecolor rgb HUES[k] title (COUNT[k] ? NAME[k] : '')
