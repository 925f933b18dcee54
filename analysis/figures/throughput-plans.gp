# $POINTS: number, aspt-nr, aspt-rr, cuSPARSE
set logscale y
set xrange [0 : MATRICES + 1]
set tics font ',12'
set lmargin screen 0.13
set rmargin screen 0.985
set bmargin screen 58. / HEIGHT
set xlabel 'matrices, in the order of aspt-nr' offset 0, 0.5
set ylabel 'throughput (Gflop/s)'
# above the plot: points may be anywhere in it
set tmargin screen 1 - (TOP + 32.) / HEIGHT
set key at screen 0.985, 1 - (TOP + 6.) / HEIGHT right top horizontal maxrows 1 samplen 1.5 font ',12'
plot $POINTS using 1:4 with points pointtype 7 pointsize dot(MATRICES) linecolor rgb C7 title 'cuSPARSE', \
     $POINTS using 1:3 with points pointtype 7 pointsize dot(MATRICES) linecolor rgb C2 title 'aspt-rr', \
     $POINTS using 1:2 with linespoints linewidth 2 pointtype 7 pointsize dot(MATRICES) linecolor rgb C1 title 'aspt-nr'
