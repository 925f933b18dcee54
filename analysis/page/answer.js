// The answer, what was run, and the figures: sentences and tables made from the numbers of the document.

const SHOWN_VALUES = 6, SHOWN_FAILURES = 20, SHOWN_RUNS = 200;

/* -------------------------------------------------------------------- answer */

// "cuda:NVIDIA H200:132sm:cuda13.0" is for machines: the second part is the name.
function deviceName(device) { return (device.split(':')[1] || device).replace(/\((R|TM)\)/g, ''); }

// What is computed, as a title; operations without one here go by their name.
const TITLES = {
  spmm: 'Sparse \u00d7 dense', spmv: 'Sparse \u00d7 vector', spmm_t: 'Transposed sparse \u00d7 dense',
  sddmm: 'Sampled dense \u00d7 dense',
};

function headline() {
  const devices = [...new Set(data.settings.map(s => s.device))].map(deviceName);
  return (TITLES[data.op] || data.op || TITLES.spmm) + (devices.length ? ' on ' + devices.join(', ') : '');
}

// A number of the first screen, with what it is of.
function tile(name, value, label, more) {
  return el('div', { 'data-tile': name }, el('dt', {}, ...[label].flat(), more ? el('span', {}, more) : null), el('dd', {}, value));
}

function interval(low, high) { return low === null ? '' : `${times(low)} to ${times(high)}`; }

// How much of a ratio is of one GPU over another, which is not what it is meant to say.
function ofTwoCards(gain) { return gain.two_cards > 0 ? `; ${count(gain.two_cards)} of the ratios are of two GPUs` : ''; }

function gainTile(name, gain, label) {
  return tile(name, times(gain.geomean_held_out), label, `${interval(gain.geomean_held_out_low, gain.geomean_held_out_high)}`
    + (gain.matrices > 1 ? `; clear gain on ${count(gain.clear)}, clear loss on ${count(gain.clear_loss)} of ${count(gain.matrices)}` : '') + ofTwoCards(gain));
}

function payTile(h) {
  const label = 'products until an order has paid, in the median';
  if (h.break_even_median !== null)
    return tile('break-even', count(Math.ceil(h.break_even_median)), label, `of ${counted(h.pays, 'clear gain', 'clear gains')}`);
  return tile('break-even', DASH, label, h.reordered ? 'the cost of the orders is not known' : 'no order has a clear gain');
}

// Said where it stands first.
const PLAN = 'best plan (kernel and order)';

function orderTiles(h) {
  return [gainTile('plan', h.plan, `${h.vendor.matrices > 0 ? 'best plan' : PLAN} over the best kernel in the original order`),
    tile('over5', share(h.plan.over_5_percent_held_out, h.plan.matrices), 'of these matrices clearly gain more than 5\u00a0% by the best plan',
      `${count(h.plan.over_5_percent_held_out)} of ${count(h.plan.matrices)}`),
    payTile(h)];
}

// What always taking a kernel loses, in the original order; that of the best one is about what the orders gain.
function kernelTiles(list) {
  return list.map(k => tile('kernel', times(k.value), ['time of ', breakable(k.name.split(':')[0]), ' for all matrices, over the best plan'], interval(k.low, k.high)));
}

// Four numbers: of what was measured, the library and the orders first.
function tiles(setting) {
  const h = setting.headline;
  return el('dl', { class: 'tiles' }, ...[
    ...(h.vendor.matrices > 0 ? [gainTile('vendor', h.vendor, `${PLAN} over the best of ${setting.library}`)] : []),
    ...(h.plan.matrices > 0 ? orderTiles(h) : []), // no gain of an order where none was measured
    ...kernelTiles(setting.answer.kernels.slice(h.plan.matrices > 0 || setting.answer.kernels.length === 1 ? 1 : 0)),
    tile('results', count(setting.cases.reduce((a, b) => a + b, 0)), 'verified results of this product'),
  ].slice(0, 4));
}

// What does not enter: cases that ended otherwise than ok, matrices, operations, and what the filter holds back.
function leftOutOf(run) {
  const all = Object.values(run.cases).reduce((a, b) => a + b, 0);
  const cases = Object.entries(run.cases).filter(([status]) => status !== 'ok').map(([status, n]) => `${count(n)} ${status}`);
  const failed = run.failures.length;
  const parts = [...(cases.length ? [`${cases.join(' and ')} of ${counted(all, 'case', 'cases')}`] : []),
    ...(failed ? [counted(failed, 'matrix that failed', 'matrices that failed')] : []),
    ...Object.entries(data.left_out).map(([op, n]) => `${counted(n, 'result', 'results')} of ${op}`),
    ...(data.where === null ? [] : ['what the filter keeps back'])];
  return [...(parts.length ? [`Left out: ${parts.join('; ')}.`] : []),
    ...(run.noisy_taken ? [`${counted(run.noisy_taken, 'noisy case is', 'noisy cases are')} taken for ok.`] : []),
    ...(cases.length || run.noisy_taken ? [] : ['No case was noisy or failed.'])].join(' ');
}

// Everything that is of one product: the answer, its numbers, the figures.
function drawSaid(setting) {
  $('sentence').textContent = setting.answer.sentence;
  $('tiles').replaceChildren(tiles(setting));
  $('parts').replaceChildren(...parts(setting));
  drawFigures(data.settings.indexOf(setting));
}

/* ------------------------------------------------------------- what is behind it */

function partsTable(title, head, list, note) {
  if (!list.length) return [];
  const cells = (tag, texts) => texts.map((x, i) => el(tag, { class: i ? 'n' : null, scope: tag === 'th' ? 'col' : null }, x));
  return [el('div', {}, el('h3', {}, title), el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title }, el('table', {},
    el('thead', {}, el('tr', {}, ...cells('th', head))),
    el('tbody', {}, ...list.map(p => el('tr', {}, ...cells('td', [breakable(p.name), count(p.matrices), times(p.value === null ? NaN : p.value),
      interval(p.low, p.high)])))))), el('p', { class: 'note' }, note))];
}

function parts(setting) {
  const a = setting.answer;
  return [...partsTable('One kernel for all', ['kernel, in the original order', 'matrices', 'time over the best plan', ''], a.kernels,
    'Least loss first, of kernels that ran on nearly all matrices.'),
  ...partsTable('Orders by kind of problem', ['kind', 'matrices', 'gain', ''], a.kinds,
    'Kinds with 5 matrices or more, the surest gain first. The best of many intervals is itself a little lucky.'),
  ];
}

/* ------------------------------------------------------------ every product */

// What the baseline lacks of the library: algorithms that are the fastest somewhere.
function lacks(setting) {
  const list = setting.answer.lacks;
  if (!list.length) return null;
  return el('small', { 'data-of': 'lacks' }, 'baseline lacks ', ...list.flatMap((l, i) => [i ? ', ' : '', breakable(l.kernel),
    l.matrices < setting.headline.vendor.matrices ? ` on ${counted(l.matrices, 'matrix', 'matrices')}` : '']));
}

// A library that has A as a dense matrix is neither a plan nor what plans are held against.
function dense(setting) {
  return setting.with_dense > 0 ? el('small', { 'data-of': 'dense' }, `${setting.dense}, A dense, on ${counted(setting.with_dense, 'matrix', 'matrices')}: in no ratio`) : null;
}

// On how many matrices other orders were measured, where not on all.
function reordered(setting) {
  const h = setting.headline;
  return h.order.matrices > 0 && h.order.matrices < h.matrices
    ? el('small', { 'data-of': 'reordered' }, `orders on ${counted(h.order.matrices, 'matrix', 'matrices')}`) : null;
}

// Which of its ratios say something of one GPU over another.
function twoCards(setting) {
  const h = setting.headline;
  const list = [[h.order, 'best order'], [h.plan, 'best plan'], [h.vendor, `best plan over ${setting.library}`]].filter(([g]) => g.two_cards > 0)
    .map(([g, name]) => `${count(g.two_cards)} of ${name}`);
  return list.length ? el('small', { 'data-of': 'two-cards' }, `ratios of two GPUs: ${list.join(', ')}`) : null;
}

function settingLine(setting, main, vendor) {
  const h = setting.headline;
  const cell = (name, text) => el('td', { class: 'n', 'data-of': name }, text);
  const gain = (name, g) => [cell(name + '-held-out', times(g.geomean_held_out)), cell(name + '-geomean', times(g.geomean)), cell(name + '-mean', times(g.mean))];
  return el('tr', { 'data-setting': setting.slug, class: main ? 'main' : null },
    el('th', { scope: 'row' }, setting.label, setting.reference && el('small', {}, 'orders of ', breakable(setting.reference)),
      reordered(setting), lacks(setting), dense(setting), twoCards(setting)),
    cell('matrices', count(h.matrices)), ...gain('order', h.order),
    ...gain('plan', h.plan), cell('plan-over5', share(h.plan.over_5_percent_held_out, h.plan.matrices)), ...(vendor ? gain('vendor', h.vendor) : []),
    cell('break-even', h.break_even_median === null ? DASH : count(Math.ceil(h.break_even_median))));
}

function settingsTable() {
  const vendor = data.settings.some(s => s.headline.vendor.matrices > 0);
  const library = [...new Set(data.settings.map(s => s.library).filter(Boolean))].join(', ') || 'a library';
  const gains = n => ['held out', 'geomean', 'mean', 'clearly > 5\u00a0%'].slice(0, n).map(x => el('th', { scope: 'col', class: 'n' }, x));
  const group = (text, n) => el('th', { scope: 'colgroup', colspan: String(n) }, text);
  return [el('p', { class: 'note' }, 'Each number is a ratio of times over the matrices of its line. Held out is a geomean: the best is chosen on one half of what was measured and '
    + 'scored on the other. Plain figures choose and score on the same measurements and are a little too large. Best order is of one kernel; best plan has every kernel '
    + `to choose from, ${library} not among them, so less is left for an order to gain. What a baseline lacks can make ${library} look slower than it is.`),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Every product' }, el('table', { class: 'settings' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col', rowspan: '2' }, 'product'),
        el('th', { scope: 'col', rowspan: '2', class: 'n' }, 'matrices'), group('best order over original', 3),
        group('best plan over best csr', 4), vendor ? group(`best plan over the best of ${library}`, 3) : null,
        el('th', { scope: 'col', class: 'n' }, 'break-even')),
      el('tr', {}, ...gains(3), ...gains(4), ...gains(vendor ? 3 : 0), el('th', { scope: 'col', class: 'n' }, 'products'))),
      el('tbody', {}, ...data.settings.map((s, i) => settingLine(s, i === data.main, vendor)))))];
}

/* ----------------------------------------------------------------------- run */

// What is not compared with csr of its own run, and what is of several GPUs.
function pairs(p) {
  const alone = p.another_run + p.another_card + p.nothing;
  return [alone ? `${counted(alone, 'result has', 'results have')} no time of the original order (csr) from their own run: ${p.another_run} are compared with that of another run`
    : 'each result has the original order (csr) of its run', p.two_cards ? `; on ${counted(p.two_cards, 'matrix', 'matrices')}, in all products, times of several GPUs are compared` : ''].join('');
}

// The lines of the list: heading, and the keys of the provenance with what stands before their values.
const FACTS = [
  ['Device', [['device.name', ''], ['device.class', 'class ']]],
  ['Host', [['host', ''], ['system', ''], ['kernel', ''], ['machine', '']]],
  ['CUDA', [['cuda.runtime', 'runtime '], ['cuda.driver_name', 'driver '], ['cuda.cusparse', 'cuSPARSE '], ['cuda.nvcc', 'nvcc '], ['cuda.arch', 'for ']]],
  ['Compiler', [['compiler', ''], ['cflags', '']]],
  ['Libraries', [['hdf5', 'HDF5 '], ['mpi', '']]],
  ['Catalogue', [['catalog.revision', 'revision ']]],
  ['Timing', [['timing', ''], ['measure.target_rel_err', 'until the relative error of the median is '],
    ['measure.min_reps', 'repetitions at least '], ['measure.max_reps', 'at most ']]]];
const STATES = { open: 'open: still running, or died without an end', complete: 'complete', drained: 'drained with work left', error: 'ended by an error' };

function some(values) {
  const more = values.length - SHOWN_VALUES;
  return values.slice(0, SHOWN_VALUES).join('; ') + (more > 0 ? `; and ${count(more)} more` : '');
}

function entry(name, ...value) { return [el('dt', {}, name), el('dd', {}, ...value)]; }

function statuses(counts, one, many) {
  const all = Object.values(counts).reduce((a, b) => a + b, 0);
  return counted(all, one, many) + ': ' + (Object.entries(counts).map(([status, n]) => `${count(n)} ${status}`).join(', ') || 'none');
}

function failures(list) {
  if (!list.length) return null;
  const lines = list.slice(0, SHOWN_FAILURES).map(f => el('li', {}, `${f.name}: ${f.status}` + (f.message ? ', ' + f.message : '')));
  if (list.length > SHOWN_FAILURES) lines.push(el('li', {}, `and ${count(list.length - SHOWN_FAILURES)} more`));
  return el('ul', {}, ...lines);
}

function runStates(run) {
  if (!run.runs.length) return [];
  const starts = run.runs.map(r => r.started_s);
  const ends = run.runs.map(r => r.started_s + (r.took_s || 0));
  const words = Object.keys(STATES).map(s => [run.runs.filter(r => r.state === s).length, STATES[s]]).filter(([n]) => n)
    .map(([n, text]) => `${count(n)} ${text}`);
  if (run.in_flight) words.push(counted(run.in_flight, 'case was', 'cases were') + ' in flight when a run died');
  return [...entry('When', `${when(starts.reduce((a, b) => Math.min(a, b)))} to ${when(ends.reduce((a, b) => Math.max(a, b)))}`),
    ...entry('Runs', counted(run.runs.length, 'run', 'runs') + ': ' + words.join('; '))];
}

function provenance(values) {
  return FACTS.flatMap(([name, keys]) => {
    const parts = keys.filter(([key]) => values[key].length).map(([key, before]) => before + some(values[key]));
    return parts.length ? entry(name, parts.join(', ')) : [];
  });
}

function facts() {
  const run = data.run;
  return el('dl', { class: 'facts' },
    ...entry('Store', code(data.store), `: ${counted(data.results, 'verified result enters', 'verified results enter')}, of `,
      `${counted(matrix.name.length, 'matrix', 'matrices')} in ${counted(data.settings.length, 'product (K, precision)', 'products (K, precision)')}`),
    ...(data.where === null ? [] : entry('Filter', 'only results with ', code(data.where))),
    ...Object.entries(data.left_out).flatMap(([op, n]) => entry('Left out', counted(n, 'result', 'results'), ' of ', code(op), ': this report is of ', code(data.op))),
    ...entry('Pairs', pairs(data.pairs)),
    ...entry('Cases', statuses(run.cases, 'case', 'cases'), data.where === null ? '' : ', whatever the filter'),
    ...entry('Matrices', statuses(run.matrices, 'matrix was there', 'matrices were there'),
      run.absent ? `; ${counted(run.absent, 'row', 'rows')} of the catalogue had no file` : '', failures(run.failures)),
    ...(run.noise ? entry('Noise', run.noise) : []),
    ...runStates(run),
    ...entry('rowcast', some([...new Set(run.runs.map(r => `${r.version} ${r.git}`))])),
    ...provenance(run.provenance));
}

// A word as a shell takes it.
function quoted(word) {
  return /^[^\s|&;<>()$`\\*?[\]#~'"]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";
}

function runsTable() {
  const runs = data.run.runs;
  if (!runs.length) return null;
  const head = (text, n) => el('th', { scope: 'col', class: n ? 'n' : null }, text);
  const number = text => el('td', { class: 'n' }, text);
  return el('details', {}, el('summary', {}, counted(runs.length, 'run', 'runs') + ' with their commands'),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Runs' }, el('table', { class: 'runs' },
      el('thead', {}, el('tr', {}, head('started'), head('took, s', 1), head('ranks', 1), head('state'), head('rowcast'),
        head('newest results', 1), head('command'))),
      el('tbody', {}, ...runs.slice(0, SHOWN_RUNS).map(r => el('tr', {}, el('td', {}, when(r.started_s)),
        number(r.took_s === null ? '' : r.took_s.toFixed(0)), number(String(r.ranks)), el('td', {}, r.state || '?'),
        el('td', {}, `${r.version} ${r.git}`), number(count(r.newest_results)),
        el('td', {}, el('code', {}, r.argv.map(quoted).join(' ')))))))),
    runs.length > SHOWN_RUNS ? el('p', {}, `and ${count(runs.length - SHOWN_RUNS)} more`) : null);
}

/* ------------------------------------------------------------------- figures */

function anchor(section) { return section.toLowerCase().replace(/[^a-z0-9]/g, '-'); }

// The drawing as elements; it is our own, with every text escaped, and scripts in it would not run.
function drawing(svg) {
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  return root.localName === 'svg' ? document.importNode(root, true) : 'The drawing cannot be read.';
}

function fileOf(f, kind) { return `figures/${f.folder}${f.name}.${kind}`; }

// What stands where a figure is: of the product that is chosen, else of the one at home, and why.
function choice(name, setting) {
  const all = data.figures.filter(f => f.name === name);
  const home = all.find(f => f.home);
  const own = home.setting === null ? home : all.find(f => f.setting === setting);
  if (own && own.missing === null) return { shown: own, instead: null };
  const why = own ? own.missing : 'a report draws the products with most matrices only';
  return { shown: home, instead: home.missing === null && home.setting !== null ? { why, own } : null };
}

function insteadNote(instead, setting) {
  if (!instead) return [];
  return [el('strong', {}, `Not at ${data.settings[setting].label}`), ': ', instead.why,
    ...(instead.own && instead.own.svg ? [' (', el('a', { href: fileOf(instead.own, 'svg') }, 'SVG'), ')'] : []), '. '];
}

function fillFigure(box, setting) {
  const { shown: f, instead } = choice(box.dataset.figure, setting);
  const files = ['csv', 'svg', 'pdf'].flatMap((kind, i) => [i ? ' ' : '', el('a', { href: fileOf(f, kind) }, kind.toUpperCase())]);
  box.dataset.setting = f.setting === null ? '' : data.settings[f.setting].slug;
  box.replaceChildren(el('h3', {}, f.title + (instead ? `, at ${data.settings[f.setting].label}` : '')), el('div', { class: 'plot' }, drawing(pictures.figures[f.folder + f.name])),
    el('figcaption', {}, ...insteadNote(instead, setting), f.caption || '', ...(f.source ? [' ', el('span', { class: 'source' }, f.source + '.')] : []), ' ',
      el('span', { class: 'files' }, ...files)));
}

// A figure that is drawn for one product at least has a place; the others are named.
function leftOut(figures) {
  const parts = figures.flatMap((f, i) => [i ? '; ' : '', f.csv ? el('a', { href: fileOf(f, 'csv') }, f.title) : f.title, ` (${f.missing}${f.missing_at === null ? '' : ` at ${data.settings[f.missing_at].label}`})`]);
  return parts.length ? el('p', { class: 'missing' }, 'Left out: ', ...parts, '.') : null;
}

// The figure of the first screen, or why there is none.
const FIRST = 'Answer';
function fillFirst() {
  const own = data.figures.filter(f => f.home && f.section === FIRST);
  for (const f of own)
    $('first').append(f.missing === null ? el('figure', { id: 'figure-' + f.name, 'data-figure': f.name }) : leftOut([f]));
}

function figureSection(section) {
  const own = data.figures.filter(f => f.home && f.section === section);
  return el('section', { id: anchor(section), class: 'figures' }, el('h2', {}, section), leftOut(own.filter(f => f.missing !== null)),
    ...own.filter(f => f.missing === null).map(f => el('figure', { id: 'figure-' + f.name, 'data-figure': f.name })));
}

// Those that show another product now.
function drawFigures(setting) {
  for (const box of document.querySelectorAll('figure[data-figure]')) {
    if (box.dataset.of === String(setting)) continue;
    box.dataset.of = String(setting);
    fillFigure(box, setting);
  }
}

/* --------------------------------------------------------------------- model */

function modelNote(model) {
  if (model.no_choices !== null) return ['Model ', code(model.name), ` has no choices here: ${model.no_choices}.`];
  const e = model.evaluation;
  const out = ['Model ', code(model.name), ': the loss of a choice is its measured time over that of the fastest of the model\u2019s ',
    `${model.classes.length} candidates, less 1. `];
  const best = e.oracle_geomean_held_out === null ? e.oracle_geomean : e.oracle_geomean_held_out;
  if (e.selector_geomean !== null && e.oracle_geomean !== null && e.baseline !== null)
    out.push('On rows that its fit had not seen, its choices are ', `${times(e.selector_geomean)} as fast as always `, code(e.baseline),
      ` in geomean (mean ${times(e.selector_mean === null ? NaN : e.selector_mean)}); the best of its candidates would be ${times(best)}`,
      e.oracle_geomean_held_out === null ? ', plain' : ` held out (plain ${times(e.oracle_geomean)})`,
      e.loss_mean === null ? '. ' : `. The mean loss there is ${percent(e.loss_mean)}\u00a0%. `);
  if (model.fitted_here) out.push('The table shows its choices also on matrices that its fit has seen. ');
  return out;
}

/* ----------------------------------------------------------------------- all */

function drawAnswer() {
  document.title = 'rowcast report: ' + baseName(data.store);
  $('store').textContent = baseName(data.store);
  $('version').textContent = data.rowcast;
  $('headline').textContent = headline();
  if (data.main === null)
    $('sentence').textContent = 'There is no verified result to report' + (data.where === null ? '' : ' that the filter lets pass') + '.';
  else
    $('products').append(...settingsTable());
  $('behind').hidden = data.main === null;
  $('left-out').textContent = leftOutOf(data.run);
  fillFirst();
  $('run').append(...[facts(), runsTable()].filter(Boolean));
  for (const section of new Set(data.figures.map(f => f.section).filter(s => s !== FIRST))) {
    $('sections').lastElementChild.before(el('a', { href: '#' + anchor(section) }, section), ' ');
    $('matrices').before(figureSection(section));
  }
  if (data.model) {
    $('model-note').append(...modelNote(data.model));
    $('model-note').hidden = false;
  }
  drawFigures(data.main);
}

drawAnswer();
