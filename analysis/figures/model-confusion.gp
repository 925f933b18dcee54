# Cells of CELL; classes are numbered, their names are below
set lmargin screen 0.12
set rmargin screen 0.99
set tmargin screen 1 - 44. / HEIGHT
set bmargin screen 1 - (44. + CLASSES * CELL) / HEIGHT
set xrange [0.5:CLASSES + 0.5]
set yrange [CLASSES + 0.5:0.5]
unset border
unset grid
set tics scale 0
set xtics 1 offset 0, 0
set format x ''
set format y '%.0f'
set ytics 1
set label 100 'chosen' at screen 0.55, 1 - 12. / HEIGHT center textcolor rgb INK
set label 101 'best' at screen 0.025, 1 - (44. + CLASSES * CELL / 2.) / HEIGHT center rotate textcolor rgb INK
do for [c = 1:CLASSES] {
    set label 200 + c sprintf('%d', c) at first c, screen 1 - 32. / HEIGHT center textcolor rgb INK
    set label 300 + c sprintf('%d  %s', c, CLASS[c]) at screen 0.12, screen 1 - (62. + CLASSES * CELL + 20 * (c - 1)) / HEIGHT left font ',13' textcolor rgb INK
}
small = CLASSES > 6 ? ',10' : ',13'
# shades are boxes of the first colour that cover the share of the cell from below
plot CSV skip 1 using (1 + int($0) % CLASSES):(1 + int($0) / CLASSES):(0.53 + int($0) % CLASSES):(1.47 + int($0) % CLASSES):(1.47 + int($0) / CLASSES - 0.94):(1.47 + int($0) / CLASSES) \
         with boxxyerror fillstyle solid 1 noborder linecolor rgb GRID, \
     '' skip 1 using (1 + int($0) % CLASSES):(1 + int($0) / CLASSES):(0.53 + int($0) % CLASSES):(1.47 + int($0) % CLASSES):(1.47 + int($0) / CLASSES - 0.94 * $4 / 100):(1.47 + int($0) / CLASSES) \
         with boxxyerror fillstyle solid 0.55 noborder linecolor rgb C1, \
     '' skip 1 using (1 + int($0) % CLASSES):(0.82 + int($0) / CLASSES):(sprintf('%d', $3)) with labels font small textcolor rgb INK, \
     '' skip 1 using (1 + int($0) % CLASSES):(1.18 + int($0) / CLASSES):($3 > 0 ? sprintf('%.1f %%', $5) : '') with labels font small textcolor rgb INK
