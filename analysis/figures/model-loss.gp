set yrange [BINS - 0.4:-0.6]
set xrange [0:*]
set grid noytics xtics
set border 1
set ytics scale 0
set xlabel 'share of rows (%)'
set ylabel 'loss (%)'
set rmargin 7
plot CSV skip 1 using 4:0:(0):4:($0 - 0.36):($0 + 0.36):ytic(strcol(2) eq '' ? '> '.strcol(1) : '≤ '.strcol(2)) with boxxyerror linecolor rgb C1, \
     '' skip 1 using 4:0:(sprintf('%.1f', $4)) with labels left offset 0.4, 0 textcolor rgb INK
