# $POINTS: change of dense_ratio, change of the similarity of the sparse part, speedup
set tics font ',12'
set lmargin screen 0.14
set rmargin screen 0.985
set bmargin screen 50. / HEIGHT
set tmargin screen 1 - (TOP + 48.) / HEIGHT
set xlabel 'change of dense_ratio' offset 0, 0.5
set ylabel 'change of similarity, sparse part'
set xzeroaxis linecolor rgb INK linewidth 0.7
set yzeroaxis linecolor rgb INK linewidth 0.7
set offsets graph 0.05, graph 0.05, graph 0.05, graph 0.05
set key at screen 0.985, 1 - (TOP + 6.) / HEIGHT right top horizontal samplen 0.5 font ',12'
plot $POINTS using ($3 < 0.9 ? $1 : 1/0):2 with points pointtype 7 pointsize 0.7 linecolor rgb C2 title 'speedup: below 0.9', \
     $POINTS using ($3 >= 0.9 && $3 <= 1.1 ? $1 : 1/0):2 with points pointtype 7 pointsize 0.7 linecolor rgb C7 title '0.9 to 1.1', \
     $POINTS using ($3 > 1.1 && $3 <= 1.5 ? $1 : 1/0):2 with points pointtype 7 pointsize 0.7 linecolor rgb C6 title '1.1 to 1.5', \
     $POINTS using ($3 > 1.5 ? $1 : 1/0):2 with points pointtype 7 pointsize 0.7 linecolor rgb C1 title 'above 1.5'
