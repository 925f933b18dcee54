# Names may be long: each stands above its bar
set yrange [CLASSES - 0.4:-0.75]
set xrange [0:*]
set grid noytics xtics
set border 1
unset ytics
set lmargin screen 0.03
set rmargin screen 0.89
set xlabel 'share of rows (%)'
do for [c = 1:CLASSES] { set label c wrap(CLASS[c], 86) at graph 0, first c - 1.36 left font letters(CLASS[c], 58, 13) textcolor rgb INK }
plot CSV skip 1 using 3:0:(0):3:($0 - 0.1):($0 + 0.3) with boxxyerror linecolor rgb C1, \
     '' skip 1 using 3:($0 + 0.1):(sprintf('%.1f', $3)) with labels left offset 0.4, 0 textcolor rgb INK
