// The table of matrices: products (settings), sorting, filtering, pages, details; state in the address.
// Everything is in memory as columns.

const PAGE = 50;

/* ------------------------------------------------------------------- columns */

// One product: a row for each of its matrices, columns as typed arrays; made when it is first shown.
function unpack(setting) {
  if (setting.columns) return setting.columns;
  const n = setting.matrix.length;
  const real = values => Float64Array.from(values, x => x === null ? NaN : x);
  const m = Int32Array.from(setting.matrix);
  const time = real(setting.best_ns), csr = real(setting.csr_ns), vendor = real(setting.vendor_ns);
  const ref = real(setting.reference_csr_ns), refBest = real(setting.reference_best_ns);
  const rows = new Float64Array(n), cols = new Float64Array(n), nnz = new Float64Array(n), dens = new Float64Array(n);
  const gflops = new Float64Array(n);
  const over = (a, b) => Float64Array.from(a, (x, i) => x / b[i]);
  const known = (values, orders) => values.map((x, i) => orders[i] > 0 ? x : NaN); // of orders nothing, where no other was measured
  for (let i = 0; i < n; i++) {
    rows[i] = matrix.rows[m[i]];
    cols[i] = matrix.cols[m[i]];
    nnz[i] = matrix.nnz[m[i]];
    dens[i] = nnz[i] / (rows[i] * cols[i]);
    gflops[i] = 2 * nnz[i] * (setting.k === 'n' ? cols[i] : setting.k || 1) / time[i]; // null: a vector
  }
  const chosen = data.model && setting.choice;
  setting.columns = {
    n, m,
    name: setting.matrix.map(i => matrix.name[i]),
    kind: setting.matrix.map(i => data.kinds[matrix.kind[i]]),
    plan: setting.best_plan.map(planName),
    kernel: setting.best_plan.map(p => plan(p).kernel),
    order: setting.best_plan.map(p => plan(p).order),
    rows, cols, nnz, density: dens, time, vendorTime: vendor, best: time.map(x => x / 1000), csr: csr.map(x => x / 1000),
    orders: known(over(ref, refBest), setting.reference_reordered), gain: known(over(csr, time), setting.reordered), ref: over(ref, time), vendor: over(vendor, time),
    gflops, ordering: real(setting.order_ns).map(x => x / 1000), preprocess: real(setting.preprocess_ns),
    breakeven: known(real(setting.break_even), setting.reordered).map(x => x < 0 ? Infinity : x),
    choice: chosen ? setting.choice.map(c => c === null ? '' : data.model.classes[c]) : null,
    choiceTime: chosen ? real(setting.choice_ns) : null,
    loss: chosen ? real(setting.choice_loss).map(x => 100 * x) : null,
    lower: null, // name, kind and plan in lower case, for words
  };
  return setting.columns;
}

// What the table shows: key, heading, unit, how, whether it enters the line below the table, and whether only a wide
// window has room for it (the details of a matrix and the filter have it always).
const COLUMNS = [
  { key: 'name', title: 'matrix', unit: 'group/name' },
  { key: 'gain', title: 'best over csr', unit: '\u00d7, any kernel', number: ratio, ratio: true },
  { key: 'order', title: 'best plan', unit: 'row order' },
  { key: 'kernel', title: '', unit: 'kernel' },
  { key: 'breakeven', title: 'break-even', unit: 'products', number: x => x === Infinity ? 'never' : count(x) },
  { key: 'choice', title: "model's choice", unit: 'kernel / order' },
  { key: 'loss', title: 'its loss', unit: '%', number: x => Number.isFinite(x) ? x.toFixed(1) : DASH, mean: true },
  { key: 'best', title: 'best time', unit: '\u00b5s', number: x => digits(x, 4) },
  { key: 'vendor', title: 'over cuSPARSE', unit: '\u00d7, its best', number: ratio, ratio: true },
  { key: 'nnz', title: 'entries', unit: '', number: count, wide: true },
  { key: 'csr', title: 'best csr', unit: '\u00b5s', number: x => digits(x, 4), wide: true },
  { key: 'orders', title: 'best order', unit: '\u00d7, ref. kernel', number: ratio, ratio: true, wide: true },
  { key: 'ref', title: 'best over ref.', unit: '\u00d7, its csr', number: ratio, ratio: true, wide: true },
  { key: 'gflops', title: 'rate', unit: 'Gflop/s', number: x => digits(x, 4), wide: true },
  { key: 'ordering', title: 'ordering', unit: '\u00b5s', number: x => digits(x, 4), wide: true },
  { key: 'rows', title: 'rows', unit: '', number: count, wide: true },
  { key: 'cols', title: 'cols', unit: '', number: count, wide: true },
  { key: 'density', title: 'density', unit: 'entries / cell', number: density, wide: true },
  { key: 'kind', title: 'kind', unit: 'of problem', wide: true },
];
const FIELDS = COLUMNS.map(c => c.key).concat(['plan']);
const TEXTS = new Set(['name', 'kind', 'plan', 'kernel', 'order', 'choice']);
const CUT = new Set(['kind', 'kernel', 'choice']); // may be cut on the screen
const ALIASES = { matrix: 'name', entries: 'nnz', time: 'best', speedup: 'gain', rate: 'gflops', columns: 'cols' };

function shownColumns(c) {
  return COLUMNS.filter(col => c[col.key] && (TEXTS.has(col.key) ? col.key !== 'kind' || data.kinds.some(k => k) : true)
    && (!col.ratio || c[col.key].some(x => !Number.isNaN(x))));
}

/* -------------------------------------------------------------------- filter */

function pattern(text) {
  const escaped = text.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.');
  return new RegExp(escaped, 'i');
}

// "rows>10k web" as conditions; throws an Error whose message is for the reader.
function parseFilter(text) {
  const terms = text.match(/(?:[^\s"]|"[^"]*"?)+/g) || [];
  return terms.map(term => {
    const part = /^([A-Za-z_]+)\s*(!~|!=|<=|>=|==|=|<|>|~)(.*)$/s.exec(term);
    if (!part) return { word: term.replace(/"/g, '').toLowerCase() };
    const name = part[1].toLowerCase();
    const key = ALIASES[name] || name;
    const value = part[3].replace(/"/g, '');
    let op = part[2] === '=' ? '==' : part[2];
    if (!FIELDS.includes(key)) throw new Error(`There is no column \u201c${part[1]}\u201d. There are ${FIELDS.join(', ')}.`);
    if (value === '') throw new Error(`\u201c${term}\u201d needs a value behind \u201c${part[2]}\u201d.`);
    if (TEXTS.has(key)) {
      if ('<>'.includes(op[0])) throw new Error(`\u201c${part[1]}\u201d is a text: use =, !=, ~ or !~.`);
      return { key, op, text: value.toLowerCase(), pattern: pattern(value) };
    }
    const number = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)([kKMG]?)$/.exec(value);
    if (op.endsWith('~')) throw new Error(`\u201c${part[1]}\u201d is a number: use <, <=, >, >=, = or !=.`);
    if (!number && value.toLowerCase() !== 'never') throw new Error(`\u201c${value}\u201d is no number.`);
    return { key, op, number: number ? Number(number[1]) * ({ k: 1e3, K: 1e3, M: 1e6, G: 1e9 }[number[2]] || 1) : Infinity };
  });
}

function test(c, i, t) {
  if (t.word !== undefined) return c.lower[i].includes(t.word);
  const column = c[t.key];
  if (!column) return false;
  const x = column[i];
  if (t.pattern) {
    switch (t.op) {
    case '==': return x.toLowerCase() === t.text;
    case '!=': return x.toLowerCase() !== t.text;
    case '~': return t.pattern.test(x);
    default: return !t.pattern.test(x);
    }
  }
  switch (t.op) { // a missing number is NaN and fits nothing
  case '<': return x < t.number;
  case '<=': return x <= t.number;
  case '>': return x > t.number;
  case '>=': return x >= t.number;
  case '==': return x === t.number;
  default: return x < t.number || x > t.number;
  }
}

function matching(c, terms) {
  if (terms.some(t => t.word !== undefined) && !c.lower)
    c.lower = c.name.map((name, i) => (name + '\n' + c.kind[i] + '\n' + c.plan[i]).toLowerCase());
  const out = [];
  for (let i = 0; i < c.n; i++)
    if (terms.every(t => test(c, i, t))) out.push(i);
  return out;
}

function sorted(c, rows, key, descending) {
  const x = c[key];
  const sign = descending ? -1 : 1;
  if (TEXTS.has(key)) {
    const rank = new Map(); // comparing texts once each, then numbers
    for (const text of [...new Set(rows.map(i => x[i]))].sort((a, b) => a < b ? -1 : a > b ? 1 : 0)) rank.set(text, rank.size);
    const ranks = Float64Array.from(x, text => rank.get(text));
    return rows.sort((a, b) => sign * (ranks[a] - ranks[b]) || a - b);
  }
  return rows.sort((a, b) => {
    const p = x[a], q = x[b];
    if (Number.isNaN(p) || Number.isNaN(q)) return Number.isNaN(p) - Number.isNaN(q) || a - b; // last either way
    return p < q ? -sign : p > q ? sign : a - b;
  });
}

/* ---------------------------------------------------------------------- state */

const initial = { setting: data.main, sort: 'gain', descending: true, filter: '', page: 0, open: null };
const state = { ...initial };

function writeAddress() {
  const q = new URLSearchParams();
  if (state.setting !== initial.setting) q.set('product', data.settings[state.setting].slug);
  if (state.sort !== initial.sort || state.descending !== initial.descending)
    q.set('sort', (state.descending ? '-' : '') + state.sort);
  if (state.filter) q.set('filter', state.filter);
  if (state.page) q.set('page', state.page + 1);
  if (state.open !== null) q.set('matrix', matrix.name[state.open]);
  const text = q.toString();
  const now = location.hash.slice(1);
  if (text === now || (!text && !now.includes('='))) return;
  try {
    history.replaceState(null, '', '#' + text);
  } catch { // some browsers refuse that for files
    ignored = '#' + text;
    location.hash = text;
  }
}

let ignored = null;

function readAddress() {
  const hash = location.hash.slice(1);
  if (hash && !hash.includes('=')) return false; // a section
  const q = new URLSearchParams(hash);
  Object.assign(state, initial);
  const setting = data.settings.findIndex(a => a.slug === q.get('product'));
  if (setting >= 0) state.setting = setting;
  const sort = q.get('sort') || '';
  const key = sort.replace(/^-/, '');
  if (COLUMNS.some(c => c.key === key)) {
    state.sort = key;
    state.descending = sort.startsWith('-');
  }
  state.filter = q.get('filter') || '';
  state.page = Math.max(0, (parseInt(q.get('page'), 10) || 1) - 1);
  const open = q.has('matrix') ? matrix.name.indexOf(q.get('matrix')) : -1;
  state.open = open >= 0 ? open : null;
  return hash !== '';
}

/* ----------------------------------------------------------------------- table */

const hasChoices = data.settings.some(s => s.choice);
let rows = [];    // of the setting, in the order of the table
let terms = [];
let drawn = null; // the setting that the answer is of

function select() {
  const c = unpack(data.settings[state.setting]);
  try {
    terms = parseFilter(state.filter);
    $('filter-error').hidden = true;
    $('filter').removeAttribute('aria-invalid');
  } catch (e) { // the rows of the last filter that could be read stay
    $('filter-error').textContent = e.message;
    $('filter-error').hidden = false;
    $('filter').setAttribute('aria-invalid', 'true');
  }
  if (!c[state.sort]) Object.assign(state, { sort: initial.sort, descending: initial.descending });
  rows = sorted(c, matching(c, terms), state.sort, state.descending);
  state.page = Math.min(state.page, Math.max(0, Math.ceil(rows.length / PAGE) - 1));
}

function classes(col, ...more) { return [...more, col.wide && 'wide'].filter(Boolean).join(' ') || null; }

function drawHead(c) {
  const head = $('head');
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.sort : null;
  head.replaceChildren(...shownColumns(c).map(col => {
    const on = col.key === state.sort;
    const button = el('button', { type: 'button', 'data-sort': col.key }, el('b', {}, col.title || '\u00a0'), el('small', {}, col.unit || '\u00a0'));
    return el('th', { scope: 'col', class: classes(col, col.number && 'n'),
      'aria-sort': on ? (state.descending ? 'descending' : 'ascending') : 'none' }, button);
  }));
  if (focused) { const b = head.querySelector(`[data-sort="${focused}"]`); if (b) b.focus(); }
}

function cell(c, i, col) {
  const x = c[col.key][i];
  if (col.number) return el('td', { class: classes(col, 'n') }, col.number(x));
  const td = el('td', { class: classes(col, col.key) }, x);
  if (CUT.has(col.key)) td.title = x;
  return td;
}

function drawRow(c, columns, i) {
  const m = c.m[i];
  const open = state.open === m;
  const button = el('button', { type: 'button', 'aria-expanded': String(open), title: c.name[i] }, c.name[i]);
  const tr = el('tr', { class: open ? 'row open' : 'row', 'data-matrix': String(m) },
    el('th', { scope: 'row' }, button), ...columns.slice(1).map(col => cell(c, i, col)));
  return tr;
}

function drawRows(c) {
  const columns = shownColumns(c);
  const body = [];
  for (const i of rows.slice(state.page * PAGE, (state.page + 1) * PAGE)) {
    body.push(drawRow(c, columns, i));
    if (state.open === c.m[i]) body.push(detail(c.m[i], columns.length));
  }
  if (!body.length) body.push(el('tr', {}, el('td', { class: 'none', colspan: String(columns.length) }, 'No matrix fits.')));
  $('rows').replaceChildren(...body);
}

function means(values) {
  let logs = 0, sum = 0, n = 0;
  for (const x of values) {
    if (!Number.isFinite(x) || x <= 0) continue;
    logs += Math.log(x);
    sum += x;
    n++;
  }
  return { n, geomean: n ? Math.exp(logs / n) : NaN, mean: n ? sum / n : NaN };
}

function drawFoot(c) {
  const foot = shownColumns(c).map((col, at) => {
    if (at === 0) return el('th', { scope: 'row' }, 'geomean', el('small', {}, 'mean'));
    if (col.ratio) {
      const s = means(rows.map(i => c[col.key][i]));
      return el('td', { class: classes(col, 'n'), 'data-of': col.key }, ratio(s.geomean), el('small', {}, ratio(s.mean)));
    }
    if (col.mean) { // a loss of 0 is one: only the mean is defined
      const x = rows.map(i => c[col.key][i]).filter(Number.isFinite);
      return el('td', { class: classes(col, 'n'), 'data-of': col.key }, DASH,
        el('small', {}, x.length ? (x.reduce((a, b) => a + b, 0) / x.length).toFixed(1) : DASH));
    }
    return el('td', { class: classes(col) });
  });
  $('foot').replaceChildren(...foot);
}

function drawText(c) {
  const setting = data.settings[state.setting];
  const all = rows.length === c.n;
  $('count').textContent = (all ? counted(c.n, 'matrix', 'matrices') : `${count(rows.length)} of ${count(c.n)} matrices`) + `, ${setting.label}`;
  const from = state.page * PAGE;
  $('page').textContent = rows.length ? `${count(from + 1)}\u2013${count(Math.min(rows.length, from + PAGE))} of ${count(rows.length)}` : '';
  $('previous').disabled = state.page === 0;
  $('next').disabled = from + PAGE >= rows.length;
  $('previous').parentElement.hidden = rows.length <= PAGE;
  $('legend').textContent = (setting.reference ? `The reference kernel is ${setting.reference}. ` : '')
    + 'csr is the original row order; ratios above 1 are gains. The line below the table is over the matrices that the filter leaves, on all pages: '
    + 'geomean, and below it the mean. Break-even: products after which the best plan has paid for its order and preprocessing against the best csr; 0 where it needs none.';
}

function draw() {
  const c = unpack(data.settings[state.setting]);
  select();
  drawHead(c);
  drawRows(c);
  drawFoot(c);
  drawText(c);
  if (drawn !== state.setting) drawSaid(data.settings[state.setting]);
  drawn = state.setting;
  $('setting').value = String(state.setting);
  if ($('filter').value !== state.filter) $('filter').value = state.filter;
  writeAddress();
}

/* ---------------------------------------------------------------------- detail */

function fact(name, value) { return el('div', {}, el('dt', {}, name), el('dd', {}, value)); }

function collectionLink(m) {
  const name = matrix.name[m];
  if (!(matrix.ssid[m] > 0)) return null;
  const path = name.split('/').map(encodeURIComponent).join('/');
  return el('a', { href: 'https://sparse.tamu.edu/' + path, rel: 'noopener noreferrer' }, 'in the SuiteSparse collection');
}

function spyFigure(m, spy, image, height, caption) {
  const rowsOf = height / spy.height;
  const img = el('img', { src: 'data:image/png;base64,' + image, width: String(spy.width), height: String(spy.height), alt: caption });
  return el('figure', {}, img, el('figcaption', {}, caption,
    `; a pixel is ${digits(rowsOf, 3)} ${rowsOf === 1 ? 'row' : 'rows'} \u00d7 ${digits(matrix.cols[m] / spy.width, 3)} columns`));
}

function spies(m) {
  const spy = data.spies[m];
  if (!spy) {
    const some = Object.keys(data.spies).length;
    return el('p', { class: 'note' }, 'No picture of this matrix'
      + (data.spies_note ? `: ${some ? `${some} ${some === 1 ? 'has' : 'have'} one; ` : ''}${data.spies_note}.` : '.'));
  }
  const [before, after] = pictures.spies[m];
  const figures = [spyFigure(m, spy, before, matrix.rows[m], 'Original order')];
  if (after) figures.push(spyFigure(m, spy, after, spy.slots, `Order ${plan(spy.plan).order}, as for ${plan(spy.plan).kernel}`));
  return el('div', { class: 'spies-all' }, el('div', { class: 'spies' }, ...figures),
    el('p', { class: 'note' }, `Full ink is ${count(spy.full)} or more entries per pixel, on a logarithmic scale.`));
}

function settingTable(m) {
  const lines = [];
  for (const setting of data.settings) {
    const c = unpack(setting);
    const i = c.m.indexOf(m);
    if (i < 0) continue;
    const numbers = (x, f) => el('td', { class: 'n' }, f(x));
    const percents = x => Number.isFinite(x) ? x.toFixed(1) : DASH;
    lines.push(el('tr', { 'data-setting': setting.slug },
      el('th', { scope: 'row' }, setting.label),
      el('td', {}, breakable(c.plan[i])), numbers(c.time[i], micro),
      el('td', {}, breakable(plan(setting.csr_plan[i]).kernel || DASH)), numbers(c.csr[i], x => digits(x, 4)), numbers(c.gain[i], ratio),
      el('td', {}, plan(setting.reference_best_plan[i]).order || DASH), numbers(c.orders[i], ratio),
      el('td', {}, breakable(plan(setting.vendor_plan[i]).kernel || DASH)), numbers(c.vendorTime[i], micro), numbers(c.vendor[i], ratio),
      numbers(c.gflops[i], x => digits(x, 4)), numbers(c.ordering[i], x => digits(x, 4)), numbers(c.preprocess[i], micro),
      el('td', { class: 'n' }, COLUMNS.find(x => x.key === 'breakeven').number(c.breakeven[i])),
      ...(hasChoices ? [el('td', {}, breakable(c.choice && c.choice[i] || DASH)), numbers(c.choiceTime ? c.choiceTime[i] : NaN, micro),
        numbers(c.loss ? c.loss[i] : NaN, percents)] : [])));
  }
  const head = (title, unit, n) => el('th', { scope: 'col', class: n ? 'n' : null }, title, el('small', {}, unit || '\u00a0'));
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'All products of this matrix' },
    el('table', {}, el('thead', {}, el('tr', {}, head('product'), head('best plan', 'kernel / order'), head('time', '\u00b5s', 1),
      head('best csr', 'kernel'), head('time', '\u00b5s', 1), head('best over csr', '\u00d7', 1),
      head('best order', 'of ref. kernel'), head('gain', '\u00d7', 1),
      head('best of cuSPARSE', 'kernel'), head('time', '\u00b5s', 1), head('best over it', '\u00d7', 1),
      head('rate', 'Gflop/s', 1), head('ordering', '\u00b5s', 1), head('preprocess', '\u00b5s', 1), head('break-even', 'products', 1),
      ...(hasChoices ? [head("model's choice"), head('time', '\u00b5s', 1), head('loss', '%', 1)] : []))),
    el('tbody', {}, ...lines)));
}

function detail(m, columns) {
  const close = el('button', { type: 'button', class: 'close' }, 'Close');
  close.addEventListener('click', () => toggle(m));
  const inside = el('div', { class: 'detail-in' },
    el('h3', {}, matrix.name[m], collectionLink(m), close),
    el('dl', { class: 'facts' }, ...[
      data.kinds[matrix.kind[m]] ? fact('kind', data.kinds[matrix.kind[m]]) : null,
      fact('rows \u00d7 columns', `${count(matrix.rows[m])} \u00d7 ${count(matrix.cols[m])}`),
      fact('entries', count(matrix.nnz[m])),
      fact('density, entries / cell', density(matrix.nnz[m] / (matrix.rows[m] * matrix.cols[m]))),
      fact('entries in a row, mean', digits(matrix.nnz[m] / matrix.rows[m], 3))].filter(Boolean)),
    spies(m), settingTable(m));
  return el('tr', { class: 'detail' }, el('td', { colspan: String(columns) }, inside));
}

function buttonOf(m) { return document.querySelector(`#rows tr.row[data-matrix="${m}"] th button`); }

function toggle(m) {
  state.open = state.open === m ? null : m;
  drawRows(unpack(data.settings[state.setting]));
  writeAddress();
  const button = buttonOf(m);
  if (button) button.focus({ preventScroll: true });
}

// The page on which the open matrix is, when the address names one.
function showOpen() {
  const c = unpack(data.settings[state.setting]);
  const at = state.open === null ? -1 : rows.findIndex(i => c.m[i] === state.open);
  if (at < 0) return;
  state.page = Math.floor(at / PAGE);
  draw();
  const button = buttonOf(state.open);
  if (button) button.scrollIntoView({ block: 'center' });
}

/* ---------------------------------------------------------------------- events */

function change(what) {
  Object.assign(state, what);
  draw();
}

function listen() {
  $('setting').addEventListener('change', e => change({ setting: Number(e.target.value), page: 0 }));
  $('filter').addEventListener('input', e => change({ filter: e.target.value, page: 0 }));
  $('previous').addEventListener('click', () => change({ page: state.page - 1, open: null }));
  $('next').addEventListener('click', () => change({ page: state.page + 1, open: null }));
  $('head').addEventListener('click', e => {
    const button = e.target.closest('button');
    if (!button) return;
    const key = button.dataset.sort;
    change({ sort: key, page: 0, descending: key === state.sort ? !state.descending : !TEXTS.has(key) });
  });
  $('rows').addEventListener('click', e => {
    const tr = e.target.closest('tr.row');
    if (tr && !String(getSelection())) toggle(Number(tr.dataset.matrix));
  });
  document.addEventListener('keydown', e => {
    if (e.key !== 'Escape' || state.open === null || !e.target.closest('#explorer, body') || e.target.id === 'filter') return;
    toggle(state.open);
  });
  addEventListener('hashchange', () => {
    if (location.hash === ignored) { ignored = null; return; }
    if (readAddress() || location.hash === '') { draw(); showOpen(); }
  });
}

if (data.settings.length) {
  const group = a => [a.layout, devices.size > 1 ? deviceName(a.device) : null].filter(Boolean).join(', ');
  const devices = new Set(data.settings.map(a => a.device));
  const groups = new Map(data.settings.map(a => [group(a), el('optgroup', { label: group(a) || 'vectors' })]));
  $('setting').append(...groups.values());
  data.settings.forEach((a, i) => groups.get(group(a)).append(el('option', { value: String(i) },
    `${a.label} (${counted(a.matrix.length, 'matrix', 'matrices')})`)));
  const says = [['K columns', data.settings.some(a => a.k !== null)], ['precision', true], ['layout', data.settings.some(a => a.layout)]];
  $('product').textContent = 'Product: ' + says.filter(([, is]) => is).map(([word]) => word).join(', ');
  const available = FIELDS.filter(f => hasChoices || (f !== 'choice' && f !== 'loss'));
  available.forEach((f, i) => $('fields').append(i ? ', ' : '', el('code', {}, f)));
  $('explorer').hidden = $('choose').hidden = false;
  const restored = readAddress();
  listen();
  draw();
  if (restored) showOpen();
}
