// The document, elements, numbers and names: what the other scripts of the page are made of.  Every
// text of the document enters the page as a text node or an attribute that is no address.

const data = JSON.parse(document.getElementById('data').textContent);
const pictures = JSON.parse(document.getElementById('pictures').textContent);
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

function density(x) {
  if (!Number.isFinite(x)) return DASH;
  return x >= 0.001 ? digits(x, 3) : x.toExponential(2);
}

function share(part, whole) {
  const x = whole ? 100 * part / whole : NaN;
  return Number.isFinite(x) ? x.toFixed(x > 0 && x < 10 ? 1 : 0) + '\u00a0%' : DASH;
}

function times(x) { return Number.isFinite(x) ? ratio(x) + '\u00d7' : DASH; }

function counted(n, one, many) { return `${count(n)} ${n === 1 ? one : many}`; }

function when(seconds) { return new Date(1000 * seconds).toISOString().slice(0, 16).replace('T', ' ') + ' UTC'; }

/* --------------------------------------------------------------------- names */

const matrix = data.matrix;
const plans = data.plans.map(([kernel, order]) => ({ kernel, order }));
const NO_PLAN = { kernel: '', order: '' };

function plan(p) { return p === null ? NO_PLAN : plans[p]; }

function planName(p) { return p === null ? '' : plans[p].kernel + ' / ' + plans[p].order; }

// A name of a kernel, with places behind its colons where a line may break.
function breakable(text) {
  const out = document.createDocumentFragment();
  text.split(/(?<=[:/])/).forEach((part, i) => out.append(...(i ? [document.createElement('wbr')] : []), part));
  return out;
}

function code(text) { return el('code', {}, breakable(text)); }

function baseName(path) { return path.slice(path.lastIndexOf('/') + 1); }
