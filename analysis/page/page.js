// The table of matrices: products (arenas), sorting, filtering, pages, details; state in the address.
// Everything is in memory as columns; names from the store enter as text nodes only.
(() => {
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const PAGE = 50;
const $ = id => document.getElementById(id);

function el(name, attributes, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {}))
    if (value !== null && value !== undefined && value !== false) e.setAttribute(key, value === true ? '' : value);
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}

/* ------------------------------------------------------------------ numbers */

const DASH = '\u2013';
const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

function count(x) { return Number.isFinite(x) ? grouped.format(x) : DASH; }

function digits(x, n) {
  if (!Number.isFinite(x)) return DASH;
  if (x === 0) return '0';
  const size = Math.floor(Math.log10(Math.abs(x)));
  if (size >= 3) return grouped.format(size >= n ? Number(x.toPrecision(n)) : x);
  return x.toFixed(Math.min(12, Math.max(0, n - 1 - size)));
}

function ratio(x) { return Number.isFinite(x) ? (x < 10 ? x.toFixed(3) : digits(x, 4)) : DASH; }
function percent(x) { return Number.isFinite(x) ? (100 * x).toFixed(1) : DASH; }
function micro(ns) { return digits(ns / 1000, 4); }
function milli(ns) { return digits(ns / 1e6, 3); }

function density(x) {
  if (!Number.isFinite(x)) return DASH;
  return x >= 0.001 ? digits(x, 3) : x.toExponential(2);
}

/* ------------------------------------------------------------------- columns */

const matrix = data.matrix;
const plans = data.plans.map(text => {
  const at = text.indexOf('\n');
  return { kernel: text.slice(0, at), order: text.slice(at + 1) };
});

function planName(p) { return p < 0 ? '' : plans[p].kernel + ' / ' + plans[p].order; }

// One product: a row for each of its matrices, columns as typed arrays; made when it is first shown.
function unpack(arena) {
  if (arena.columns) return arena.columns;
  const n = arena.m.length;
  const real = values => Float64Array.from(values, x => x === null ? NaN : x);
  const m = Int32Array.from(arena.m);
  const time = real(arena.t), csr = real(arena.c), ref = real(arena.rc), refBest = real(arena.r), vendor = real(arena.v);
  const rows = new Float64Array(n), cols = new Float64Array(n), nnz = new Float64Array(n), dens = new Float64Array(n);
  const gflops = new Float64Array(n);
  const over = (a, b) => Float64Array.from(a, (x, i) => x / b[i]);
  for (let i = 0; i < n; i++) {
    rows[i] = matrix.rows[m[i]];
    cols[i] = matrix.cols[m[i]];
    nnz[i] = matrix.nnz[m[i]];
    dens[i] = nnz[i] / (rows[i] * cols[i]);
    gflops[i] = 2 * nnz[i] * (arena.k || cols[i]) / time[i];
  }
  arena.columns = {
    n, m,
    name: arena.m.map(i => matrix.name[i]),
    kind: arena.m.map(i => data.kinds[matrix.kind[i]]),
    plan: arena.p.map(planName),
    kernel: arena.p.map(p => p < 0 ? '' : plans[p].kernel),
    order: arena.p.map(p => p < 0 ? '' : plans[p].order),
    rows, cols, nnz, density: dens, best: time.map(x => x / 1000), csr: csr.map(x => x / 1000),
    orders: over(ref, refBest), gain: over(csr, time), ref: over(ref, time), vendor: over(vendor, time),
    gflops, ordering: real(arena.o).map(x => x / 1e6),
    breakeven: real(arena.be).map(x => x < 0 ? Infinity : x),
    choice: data.model && arena.ch ? arena.ch.map(c => c < 0 ? '' : data.model.classes[c]) : null,
    loss: data.model && arena.ch ? real(arena.l).map(x => 100 * x) : null,
    lower: null, // name, kind and plan in lower case, for words
  };
  return arena.columns;
}

// What the table shows: key, heading, unit, how, and whether it enters the line below the table.
const COLUMNS = [
  { key: 'name', title: 'matrix', unit: 'group/name' },
  { key: 'gain', title: 'best over csr', unit: '\u00d7, any kernel', number: ratio, ratio: true },
  { key: 'order', title: 'best plan', unit: 'row order' },
  { key: 'kernel', title: '', unit: 'kernel' },
  { key: 'best', title: 'best time', unit: '\u00b5s', number: x => digits(x, 4) },
  { key: 'csr', title: 'best csr', unit: '\u00b5s', number: x => digits(x, 4) },
  { key: 'orders', title: 'best order', unit: '\u00d7, ref. kernel', number: ratio, ratio: true },
  { key: 'ref', title: 'best over ref.', unit: '\u00d7, its csr', number: ratio, ratio: true },
  { key: 'vendor', title: 'over cuSPARSE', unit: '\u00d7, its best', number: ratio, ratio: true },
  { key: 'gflops', title: 'rate', unit: 'Gflop/s', number: x => digits(x, 4) },
  { key: 'ordering', title: 'ordering', unit: 'ms', number: x => digits(x, 3) },
  { key: 'breakeven', title: 'break-even', unit: 'products', number: x => x === Infinity ? 'never' : count(x) },
  { key: 'choice', title: "model's choice", unit: 'kernel / order' },
  { key: 'loss', title: 'its loss', unit: '%', number: x => Number.isFinite(x) ? x.toFixed(1) : DASH, mean: true },
  { key: 'rows', title: 'rows', unit: '', number: count },
  { key: 'cols', title: 'cols', unit: '', number: count },
  { key: 'nnz', title: 'entries', unit: '', number: count },
  { key: 'density', title: 'density', unit: 'entries / cell', number: density },
  { key: 'kind', title: 'kind', unit: 'of problem' },
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

const initial = { arena: data.main, sort: 'gain', descending: true, filter: '', page: 0, open: null };
const state = { ...initial };

function writeAddress() {
  const q = new URLSearchParams();
  if (state.arena !== initial.arena) q.set('product', data.arenas[state.arena].slug);
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
  const arena = data.arenas.findIndex(a => a.slug === q.get('product'));
  if (arena >= 0) state.arena = arena;
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

let rows = [];    // of the arena, in the order of the table
let terms = [];

function select() {
  const c = unpack(data.arenas[state.arena]);
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

function drawHead(c) {
  const head = $('head');
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.sort : null;
  head.replaceChildren(...shownColumns(c).map(col => {
    const on = col.key === state.sort;
    const button = el('button', { type: 'button', 'data-sort': col.key }, el('b', {}, col.title || '\u00a0'), el('small', {}, col.unit || '\u00a0'));
    return el('th', { scope: 'col', class: col.number ? 'n' : null,
      'aria-sort': on ? (state.descending ? 'descending' : 'ascending') : 'none' }, button);
  }));
  if (focused) { const b = head.querySelector(`[data-sort="${focused}"]`); if (b) b.focus(); }
}

// A name of a kernel, with places behind its colons where a line may break.
function breakable(text) {
  const out = document.createDocumentFragment();
  text.split(/(?<=[:/])/).forEach((part, i) => out.append(...(i ? [document.createElement('wbr')] : []), part));
  return out;
}

function cell(c, i, col) {
  const x = c[col.key][i];
  if (col.number) return el('td', { class: 'n' }, col.number(x));
  const td = el('td', { class: col.key }, x);
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
      return el('td', { class: 'n', 'data-of': col.key }, ratio(s.geomean), el('small', {}, ratio(s.mean)));
    }
    if (col.mean) { // a loss of 0 is one: only the mean is defined
      const x = rows.map(i => c[col.key][i]).filter(Number.isFinite);
      return el('td', { class: 'n', 'data-of': col.key }, DASH,
        el('small', {}, x.length ? (x.reduce((a, b) => a + b, 0) / x.length).toFixed(1) : DASH));
    }
    return el('td', {});
  });
  $('foot').replaceChildren(...foot);
}

function drawText(c) {
  const arena = data.arenas[state.arena];
  const all = rows.length === c.n;
  $('count').textContent = (all ? `${count(c.n)} ${c.n === 1 ? 'matrix' : 'matrices'}` : `${count(rows.length)} of ${count(c.n)} matrices`) + `, ${arena.label}`;
  const from = state.page * PAGE;
  $('page').textContent = rows.length ? `${count(from + 1)}\u2013${count(Math.min(rows.length, from + PAGE))} of ${count(rows.length)}` : '';
  $('previous').disabled = state.page === 0;
  $('next').disabled = from + PAGE >= rows.length;
  $('previous').parentElement.hidden = rows.length <= PAGE;
  $('legend').textContent = (arena.reference ? `The reference kernel is ${arena.reference}. ` : '')
    + 'csr is the original row order; ratios above 1 are gains. The line below the table is over the matrices that the filter leaves, on all pages: '
    + 'geomean, and below it the mean. Break-even: products after which the best plan has paid for its order and preprocessing against the best csr; 0 where it needs none.';
}

function draw() {
  const c = unpack(data.arenas[state.arena]);
  select();
  drawHead(c);
  drawRows(c);
  drawFoot(c);
  drawText(c);
  $('arena').value = String(state.arena);
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
  const rowsOf = height / spy.h;
  const img = el('img', { src: 'data:image/png;base64,' + image, width: String(spy.w), height: String(spy.h), alt: caption });
  return el('figure', {}, img, el('figcaption', {}, caption,
    `; a pixel is ${digits(rowsOf, 3)} ${rowsOf === 1 ? 'row' : 'rows'} \u00d7 ${digits(matrix.cols[m] / spy.w, 3)} columns`));
}

function spies(m) {
  const spy = data.spy[m];
  if (!spy) {
    const some = Object.keys(data.spy).length;
    return el('p', { class: 'note' }, 'No picture of this matrix'
      + (data.spyNote ? `: ${some ? `${some} ${some === 1 ? 'has' : 'have'} one; ` : ''}${data.spyNote}.` : '.'));
  }
  const figures = [spyFigure(m, spy, spy.before, matrix.rows[m], 'Original order')];
  if (spy.after) figures.push(spyFigure(m, spy, spy.after, spy.slots, `Order ${plans[spy.plan].order}, as for ${plans[spy.plan].kernel}`));
  return el('div', { class: 'spies-all' }, el('div', { class: 'spies' }, ...figures),
    el('p', { class: 'note' }, `Full ink is ${count(spy.full)} or more entries per pixel, on a logarithmic scale.`));
}

function arenaTable(m) {
  const lines = [];
  for (const arena of data.arenas) {
    const c = unpack(arena);
    const i = c.m.indexOf(m);
    if (i < 0) continue;
    const refBest = arena.rp[i] < 0 ? '' : plans[arena.rp[i]].order;
    const vendor = arena.vp[i] < 0 ? '' : plans[arena.vp[i]].kernel;
    const numbers = (x, f) => el('td', { class: 'n' }, f(x));
    lines.push(el('tr', { 'data-arena': arena.slug },
      el('th', { scope: 'row' }, arena.label),
      el('td', {}, breakable(c.plan[i])), numbers(arena.t[i] === null ? NaN : arena.t[i], micro),
      el('td', {}, breakable(arena.cp[i] < 0 ? DASH : plans[arena.cp[i]].kernel)), numbers(c.csr[i], x => digits(x, 4)), numbers(c.gain[i], ratio),
      el('td', {}, refBest || DASH), numbers(c.orders[i], ratio),
      el('td', {}, breakable(vendor || DASH)), numbers(arena.v[i] === null ? NaN : arena.v[i], micro), numbers(c.vendor[i], ratio),
      numbers(c.gflops[i], x => digits(x, 4)), numbers(c.ordering[i], x => digits(x, 3)),
      numbers(arena.pre[i] === null ? NaN : arena.pre[i], milli),
      el('td', { class: 'n' }, COLUMNS.find(x => x.key === 'breakeven').number(c.breakeven[i])),
      ...(data.model ? [el('td', {}, breakable(c.choice && c.choice[i] || DASH)), numbers(arena.ct ? (arena.ct[i] === null ? NaN : arena.ct[i]) : NaN, micro),
        numbers(c.loss ? c.loss[i] : NaN, x => Number.isFinite(x) ? x.toFixed(1) : DASH)] : [])));
  }
  const head = (title, unit, n) => el('th', { scope: 'col', class: n ? 'n' : null }, title, el('small', {}, unit || '\u00a0'));
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'All products of this matrix' },
    el('table', {}, el('thead', {}, el('tr', {}, head('product'), head('best plan', 'kernel / order'), head('time', '\u00b5s', 1),
      head('best csr', 'kernel'), head('time', '\u00b5s', 1), head('best over csr', '\u00d7', 1),
      head('best order', 'of ref. kernel'), head('gain', '\u00d7', 1),
      head('best of cuSPARSE', 'kernel'), head('time', '\u00b5s', 1), head('best over it', '\u00d7', 1),
      head('rate', 'Gflop/s', 1), head('ordering', 'ms', 1), head('preprocess', 'ms', 1), head('break-even', 'products', 1),
      ...(data.model ? [head("model's choice"), head('time', '\u00b5s', 1), head('loss', '%', 1)] : []))),
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
    spies(m), arenaTable(m));
  return el('tr', { class: 'detail' }, el('td', { colspan: String(columns) }, inside));
}

function buttonOf(m) { return document.querySelector(`#rows tr.row[data-matrix="${m}"] th button`); }

function toggle(m) {
  state.open = state.open === m ? null : m;
  drawRows(unpack(data.arenas[state.arena]));
  writeAddress();
  const button = buttonOf(m);
  if (button) button.focus({ preventScroll: true });
}

// The page on which the open matrix is, when the address names one.
function showOpen() {
  const c = unpack(data.arenas[state.arena]);
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
  $('arena').addEventListener('change', e => change({ arena: Number(e.target.value), page: 0 }));
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

if (data.arenas.length) {
  data.arenas.forEach((a, i) => $('arena').append(el('option', { value: String(i) },
    `${a.label} (${count(a.m.length)} ${a.m.length === 1 ? 'matrix' : 'matrices'})`)));
  const available = FIELDS.filter(f => data.model || (f !== 'choice' && f !== 'loss'));
  available.forEach((f, i) => $('fields').append(i ? ', ' : '', el('code', {}, f)));
  $('explorer').hidden = false;
  const restored = readAddress();
  listen();
  draw();
  if (restored) showOpen();
}
})();
