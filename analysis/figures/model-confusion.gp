# Cells of CELL; classes with long names are numbered, the names are below
left = NUMBERED ? 0.12 : 0.2
set lmargin screen left
set rmargin screen 0.99
set tmargin screen 1 - (TOP + 44.) / HEIGHT
set bmargin screen 1 - (TOP + 44. + CLASSES * CELL) / HEIGHT
set xrange [0.5:CLASSES + 0.5]
set yrange [CLASSES + 0.5:0.5]
unset border
unset grid
unset tics
set label 100 'chosen' at screen 0.55, 1 - (TOP + 12.) / HEIGHT center textcolor rgb INK
set label 101 'best' at screen 0.025, 1 - (TOP + 44. + CLASSES * CELL / 2.) / HEIGHT center rotate textcolor rgb INK
do for [c = 1:CLASSES] {
    name = NUMBERED ? sprintf('%d', c) : CLASS[c]
    set label 200 + c name at first c, screen 1 - (TOP + 32.) / HEIGHT center textcolor rgb INK
    set label 300 + c name at screen left - 0.015, first c right textcolor rgb INK
    if (NUMBERED) { set label 400 + c sprintf('%d  %s', c, CLASS[c]) at screen left, screen 1 - (TOP + 62. + CLASSES * CELL + 20 * (c - 1)) / HEIGHT left font ',13' textcolor rgb INK }
}
text = CLASSES > 6 ? ',11' : ',13'
loss = CLASSES > 6 ? '%.0f %%' : '%.1f %%'
x(i) = 1 + i % CLASSES
y(i) = 1 + i / CLASSES
# a cell, and over it from below the share of its line
plot CSV skip 1 using (x(int($0))):(y(int($0))):(x(int($0)) - 0.47):(x(int($0)) + 0.47):(y(int($0)) - 0.47):(y(int($0)) + 0.47) \
         with boxxyerror fillstyle solid 1 noborder linecolor rgb GRID, \
     '' skip 1 using (x(int($0))):(y(int($0))):(x(int($0)) - 0.47):(x(int($0)) + 0.47):(y(int($0)) + 0.47 - 0.94 * $4 / 100):(y(int($0)) + 0.47) \
         with boxxyerror fillstyle solid 0.55 noborder linecolor rgb C1, \
     '' skip 1 using (x(int($0))):(y(int($0)) - 0.2):(sprintf('%d', $3)) with labels font text textcolor rgb INK, \
     '' skip 1 using (x(int($0))):(y(int($0)) + 0.2):($3 > 0 ? sprintf(loss, $5) : '') with labels font text textcolor rgb INK
