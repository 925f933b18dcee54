stats CSV skip 1 using (strlen(strcol(1))) nooutput prefix 'NAME'
set yrange [POLICIES - 0.4:-0.6]
set xrange [0:*]
set grid noytics xtics
set border 1
set ytics scale 0
FONT = names(NAME_max)
set ytics font FONT
set xlabel 'share of matrices (%)'
set rmargin 7
set lmargin screen margin(NAME_max)
plot CSV skip 1 using 3:0:(0):3:($0 - 0.36):($0 + 0.36):ytic(line(strcol(1), NAME_max)) with boxxyerror linecolor rgb C6 fillstyle solid 0.4, \
     '' skip 1 using 5:0:(0):5:($0 - 0.36):($0 + 0.36) with boxxyerror linecolor rgb C1, \
     '' skip 1 using 3:0:(sprintf('%.1f', $3)) with labels left offset 0.4, 0 textcolor rgb INK
