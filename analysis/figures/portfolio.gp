stats CSV skip 1 using (strlen(strcol(2)) + 2) nooutput prefix 'NAME'
stats CSV skip 1 using 3:5 nooutput prefix 'GAIN'
set yrange [STEPS - 0.4:-0.6]
set xrange [*<1:*]
set grid noytics xtics
set border 1
set ytics scale 0
FONT = names(NAME_max)
set ytics font FONT
set xlabel 'speedup of the oracle over csr (×)'
set tmargin screen 1 - (TOP + 42.) / HEIGHT
set key at screen 0.5, 1 - (TOP + 6.) / HEIGHT center top horizontal
set rmargin 5
set lmargin screen margin(NAME_max)
HIGH = GAIN_max_x > GAIN_max_y ? GAIN_max_x : GAIN_max_y
if (HIGH > 1.0001) { set xtics step(HIGH - (GAIN_min_y < 1 ? GAIN_min_y : 1)) }
plot CSV skip 1 using 3:0:ytic(line(sprintf('%s%s', $0 > 0 ? '+ ' : '', strcol(2)), NAME_max)) with linespoints pointtype 6 pointsize 0.5 linewidth 1.5 dashtype 2 linecolor rgb C2 title 'plain', \
     '' skip 1 using 5:0 with linespoints pointtype 7 pointsize 0.5 linewidth 2 linecolor rgb C1 title 'held out'
