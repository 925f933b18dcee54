# Before every template: what all figures look like.  The lines "#colour RRGGBB NAME" say which
# variable of the page's style sheet stands for a colour when a figure is shown on the page.
#colour 010101 currentColor
#colour d0d0d0 --figure-grid
#colour 0072b2 --figure-1
#colour d55e00 --figure-2
#colour 009e73 --figure-3
#colour b8559b --figure-4
#colour b07d00 --figure-5
#colour 3a9bd6 --figure-6
#colour 808080 --figure-7
INK = '#010101'; GRID = '#d0d0d0'
C1 = '#0072b2'; C2 = '#d55e00'; C3 = '#009e73'; C4 = '#b8559b'; C5 = '#b07d00'; C6 = '#3a9bd6'; C7 = '#808080'
array COLOURS[7] = [0x0072b2, 0xd55e00, 0x009e73, 0xb8559b, 0xb07d00, 0x3a9bd6, 0x808080]
set encoding utf8
set datafile separator ','
set datafile missing ''
set border 3 linecolor rgb INK linewidth 1
set tics nomirror out scale 0.6 textcolor rgb INK
set grid linecolor rgb GRID linewidth 0.8 linetype 1 dashtype solid, linecolor rgb GRID linewidth 0.4 linetype 1 dashtype solid
set xlabel textcolor rgb INK
set ylabel textcolor rgb INK
set key textcolor rgb INK noautotitle
set style fill solid 0.85 noborder
