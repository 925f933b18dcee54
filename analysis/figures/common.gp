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
array DASHES[7] = [1, 1, 1, 1, 2, 2, 2]
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
# No text is cut: a long one goes on in another line behind one of ":/, ", and a smaller font holds more.  Names beside an
# axis get the margin that they need: 26 letters of 14 or 44 of 9 in a line
cut_at(s, n) = n < 2 ? 0 : strstrt(':/, ', s[n:n]) ? n : cut_at(s, n - 1)
cut(s, n) = cut_at(s, n) ? cut_at(s, n) : n
wrap(s, n) = strlen(s) <= n ? s : s[1:cut(s, n)]."\n".wrap(s[cut(s, n) + 1:*], n)
letters(s, most, large) = strlen(s) > most ? ',9' : ','.large
names(n) = n > 26 ? ',9' : ',14'
line(s, n) = wrap(s, n > 26 ? 44 : 26)
margin(n) = ((n > 44 ? 5.8 * 44 : n > 26 ? 5.8 * n : 8.4 * n) + 18) / WIDTH
lines(s, n) = (strlen(s) - 1) / n + 1
# Steps of 1, 2 or 5 that cut a range in four or less
round_step(x, p) = x <= p ? p : x <= 2 * p ? 2 * p : x <= 5 * p ? 5 * p : 10 * p
step(x) = round_step(x / 4., 10.**floor(log10(x / 4.)))
# a strip of TOP above the figure says what it is of
set tmargin screen 1 - (TOP + 12.) / HEIGHT
if (TOP) { set label 900 wrap(SUBTITLE, 68) at screen 0.5, 1 - 11. / HEIGHT center font ',12' textcolor rgb INK }

# Tics of a logarithmic axis as a command: eval powers('x', lowest, highest, most tics, with labels)
SUP = '⁰ ¹ ² ³ ⁴ ⁵ ⁶ ⁷ ⁸ ⁹'
sup(i) = i < 0 ? '⁻'.sup(-i) : i > 9 ? sup(i / 10).sup(i % 10) : word(SUP, 1 + i)
power_label(i) = i < -2 || i > 11 ? '10'.sup(i) : i < 3 ? sprintf('%g', 10**i) : gprintf('%.0s%c', 10**i)
power_list(i, last, step, named) = i > last ? '' : \
    sprintf('"%s" 1e%d', named ? power_label(i) : '', i).(i + step > last ? '' : ', ').power_list(i + step, last, step, named)
power_first(low) = int(ceil(log10(low) - 0.05))
power_last(high) = int(floor(log10(high) + 0.05))
power_step(low, high, most) = int(ceil((power_last(high) - power_first(low) + 1.) / most))
# with less than two powers in sight 1, 2 and 5 of each
fine_label(x) = x < 1000 ? sprintf('%g', x) : gprintf('%.0s%c', x)
fine_tic(x, low, high, named) = x < low * 0.99 || x > high * 1.01 ? '' : sprintf('"%s" %g, ', named ? fine_label(x) : '', x)
fine_list(i, last, low, high, named) = i > last ? '' : fine_tic(10.**i, low, high, named).fine_tic(2 * 10.**i, low, high, named). \
    fine_tic(5 * 10.**i, low, high, named).fine_list(i + 1, last, low, high, named)
# 2 and 5 between them where there is room: labels of an axis of few tics touch each other
powers(axis, low, high, most, named) = power_last(high) - power_first(low) < 2 && (most > 5 || high < 30 * low) ? \
    sprintf('set %stics (%s"" 1e-30)', axis, fine_list(power_first(low) - 1, power_last(high), low, high, named)) : \
    sprintf('set %stics (%s)', axis, power_list(power_first(low), power_last(high), power_step(low, high, most), named))

# The same for factors around 1: 0.5, 1, 2, ...
FACTORS_WIDE = '0.001 0.01 0.1 1 10 100 1000 10000'
FACTORS_MIDDLE = '0.125 0.25 0.5 1 2 4 8 16 32'
FACTORS_NEAR = '0.25 0.35 0.5 0.7 1 1.4 2 2.8 4'
FACTORS_NEAREST = '0.7 0.8 0.9 1 1.1 1.2 1.3 1.4'
factors_of(low, high) = high / low > 200 ? FACTORS_WIDE : high / low > 6 ? FACTORS_MIDDLE : high / low > 1.7 ? FACTORS_NEAR : FACTORS_NEAREST
factor_list(list, i, low, high, named) = i > words(list) ? '' : \
    (word(list, i) + 0 >= low && word(list, i) + 0 <= high ? \
        sprintf('"%s" %s, ', named ? word(list, i) : '', word(list, i)) : '').factor_list(list, i + 1, low, high, named)
factors(axis, low, high, named) = sprintf('set %stics (%s"" 1e-30)', axis, factor_list(factors_of(low, high), 1, low, high, named))

# Size of the points of so many matrices
dot(matrices) = matrices < 60 ? 0.5 : matrices < 250 ? 0.35 : 0.25
