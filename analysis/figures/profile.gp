# FACETS of two columns, then the key; $STEPS has CURVES series for each: slowdown, share of matrices
cell(f) = (f - 1) / 2
set multiplot
set logscale x
set xrange [1:SLOWEST]
set yrange [0:100]
set tics font ',12'
set label 1 'slowdown over the fastest (×)' at screen 0.54, 14. / HEIGHT center textcolor rgb INK
set label 2 'share of matrices (%)' at screen 0.022, 0.5 center rotate textcolor rgb INK
w = 0.43
do for [f = 1:FACETS] {
    set lmargin screen 0.125 + ((f - 1) % 2) * w
    set rmargin screen 0.125 + ((f - 1) % 2) * w + w - 0.03
    set tmargin screen 1 - (32. + 206 * cell(f)) / HEIGHT
    set bmargin screen 1 - (24. + 206 * cell(f) + 140) / HEIGHT
    set xtics ('1' 1, '1.5' 1.5, '2' 2, '4' 4, '8' 8, '16' 16)
    set ytics 25
    if (f % 2 == 1) { set format y '%g' } else { set format y '' }
    set title wrap(FACET[f], 42) offset 0, -0.7 font letters(FACET[f], 28, 13) textcolor rgb INK
    plot for [c = 1:CURVES] $STEPS index (f - 1) * CURVES + c - 1 using 1:2 with steps linewidth 2 dashtype DASHES[c] linecolor rgb COLOURS[c]
    unset label
}
# the key is in the cell that is left over, or below
if (FACETS % 2) {
    set lmargin screen 0.125 + w
    set rmargin screen 0.125 + 2 * w - 0.03
    set tmargin screen 1 - (24. + 206 * cell(FACETS)) / HEIGHT
    set bmargin screen 1 - (24. + 206 * cell(FACETS) + 150) / HEIGHT
    set key center center vertical Left reverse samplen 2 maxrows CURVES
} else {
    set lmargin screen 0.125
    set rmargin screen 0.97
    set tmargin screen 1 - (206. * FACETS / 2) / HEIGHT
    set bmargin screen 30. / HEIGHT
    set key center center vertical Left reverse samplen 2 maxrows (CURVES + 1) / 2
}
unset logscale
unset border
unset tics
unset grid
unset title
set xrange [0:1]
plot for [c = 1:CURVES] NaN with lines linewidth 2 dashtype DASHES[c] linecolor rgb COLOURS[c] title CURVE[c]
unset multiplot
