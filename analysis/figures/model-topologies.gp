set yrange [LINES - 0.4:-0.6]
set xrange [0:*]
set grid noytics xtics
set border 1
set ytics scale 0
set xlabel 'mean loss (%)'
set lmargin screen 0.36
set rmargin screen 0.96
plot CSV skip 1 using 2:0:(0):2:($0 - 0.34):($0 + 0.34):ytic(1) with boxxyerror linecolor rgb C1, \
     '' skip 1 using 3:0:($4 - $3):(0) with vectors nohead linewidth 2 linecolor rgb INK
