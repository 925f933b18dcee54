# $POINTS: number, aspt-nr, aspt-rr, cuSPARSE
set logscale y
set xrange [0 : MATRICES + 1]
set tics font ',12'
set lmargin screen 0.13
set rmargin screen 0.985
set bmargin screen 50. / HEIGHT
set xlabel 'matrices, in the order of aspt-nr' offset 0, 0.5
set ylabel 'throughput (GFLOP/s)'
set key top left
plot $POINTS using 1:4 with points pointtype 7 pointsize dot(MATRICES) linecolor rgb C7 title 'cuSPARSE', \
     $POINTS using 1:3 with points pointtype 7 pointsize dot(MATRICES) linecolor rgb C2 title 'aspt-rr', \
     $POINTS using 1:2 with linespoints linewidth 2 pointtype 7 pointsize dot(MATRICES) linecolor rgb C1 title 'aspt-nr'
