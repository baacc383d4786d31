// The page's own functions, without a browser, and rules for its sources. Run by node's test runner (page.t).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import vm from 'node:vm';

const folder = new URL('../page/', import.meta.url);
const names = ['sentence.js', 'film.js'];
const sources = Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));

const small = {
  kernel: 'k(float*)', launch: 1, grid: [1, 1, 1], block: [40, 1, 1], shared_bytes: 0, counters: {}, findings: [], lines: [],
  sources: [{ file: '/a/k.cu', text: ['one', 'two'] }],
  insts: [{ op: 'ld', type: 'f32', vector: 1, file: '/a/k.cu', line: 2 }, { op: 'ld', type: 'b32', vector: 4, file: '/a/other.h', line: 7 }, { op: 'bra', type: 'b32', ptx: 9 }],
  arrays: [{ id: 1, name: 'in', type: 'f32', bytes: 4096 }, { id: 2, name: 'n\n<', type: '', bytes: 64 }],
  shared: [{ name: 'tile', offset: 64, bytes: 64, type: 's32' }], blocks: [],
  held: [{ function: 'k', name: '%r1', type: 's32', bytes: 4 }, { function: 'k', name: '%rd1', type: 'b64', bytes: 8 }, { function: 'k', name: '%p1', type: 'pred', bytes: 0 },
    { function: 'k', name: '%f1', type: 'f32', bytes: 4 }], variables: [],
};

// Takes every call and every member: what the page does to its document when it begins.
const anything = () => new Proxy(function () {}, {
  get: (target, key) => (key === Symbol.toPrimitive ? () => 0 : key === Symbol.iterator ? undefined : anything()),
  set: () => true, apply: () => anything(), construct: () => anything(),
});

function load(film) {
  const document = new Proxy({}, {
    get: (target, key) => (key === 'getElementById' ? (id) => (id === 'film' || id === 'steps' ? { textContent: JSON.stringify(id === 'film' ? film : []) } : anything())
      : key === 'querySelectorAll' ? () => [] : anything()),
  });
  const context = vm.createContext({ document, window: anything(), getComputedStyle: anything(), ResizeObserver: anything(), atob, setInterval, clearInterval, setTimeout: () => 0, clearTimeout, Number, console });
  return vm.runInContext(`${sources['sentence.js']}\n${sources['film.js'].replace(/^"use strict";/, '')}
    ({ film, popcount, hasLane, numberList, lanesOfWarp, real, halfValue, elementBytes, valueList, run, accessOf, sentence, threadName,
       laneColorOf, lastAtMost, marksOf, touched, withSteps, waitStep, waitingAt, sentenceAt, leftOut, leftOutOf, nth, layoutOf, planesOf, heatOf, partiesOf, heldText, heldAt, strays, inHalo, viewOf, missing })`, context);
}
const page = load(small);
const own = (value) => JSON.parse(JSON.stringify(value)); // arrays of another context are of another class

test('lanes of a mask, and of the last warp', () => {
  assert.equal(page.popcount(0xFFFFFFFF), 32);
  assert.equal(page.popcount(0x80000001), 2);
  assert.equal(page.hasLane(0x80000000, 31), true);
  assert.equal(page.lanesOfWarp(page.film, 0), 0xFFFFFFFF);
  assert.equal(page.lanesOfWarp(page.film, 1), 0xFF);
  assert.equal(String(page.numberList(0b1011_0111)), '0-2, 4-5, 7');
});

test('numbers are written as %.6g writes them', () => {
  const rows = [[0, '0'], [-0, '-0'], [1, '1'], [0.1, '0.1'], [1234567, '1.23457e+06'], [123456, '123456'], [1e-5, '1e-05'], [0.0001, '0.0001'], [2.5e100, '2.5e+100'],
    [1 / 3, '0.333333'], [1000005, '1e+06'], [1000015, '1.00002e+06'], [Infinity, 'inf'], [-Infinity, '-inf'], [NaN, 'nan']];
  for (const [value, text] of rows) assert.equal(page.real(value), text);
});

test('halves: zero, the least, the largest, infinity', () => {
  const rows = [[0x0000, 0], [0x0001, 2 ** -24], [0x3C00, 1], [0xC000, -2], [0x7BFF, 65504], [0x7C00, Infinity], [0xFC00, -Infinity]];
  for (const [bits, value] of rows) assert.equal(page.halfValue(bits), value);
  assert.ok(Number.isNaN(page.halfValue(0x7E00)));
});

test('an element has its declared size where that divides the access, else the instruction\'s', () => {
  assert.equal(page.elementBytes('f32', 16, 4), 4);
  assert.equal(page.elementBytes('f64', 4, 1), 4);
  assert.equal(page.elementBytes('', 16, 4), 4);
  assert.equal(page.elementBytes('', 16, 1), 16);
});

const access = (more) => ({ w: 0, i: 0, m: 0xFFFFFFFF, n: 1, e: 'access', k: 'load', s: 'global', z: 4, a: 1, c: 4, r: [[32, 0, 4]], ...more });

const said = (step, waiting = []) => page.sentence(page.film, step, waiting);
test('sentences', () => {
  assert.equal(said(access()), 'warp 0, line 2: 32 threads load in[0..31]; 4 sectors');
  assert.equal(said(access({ r: [[32, 0, 128]], c: 32 })), 'warp 0, line 2: 32 threads load in[0..992 by 32]; 32 sectors');
  assert.equal(said(access({ r: [[32, 124, -4]] })), 'warp 0, line 2: 32 threads load in[31..0 by -1]; 4 sectors');
  assert.equal(said(access({ m: 1, k: 'store', r: [[1, 8, 0]], c: 1, v: 'AACAPw==', o: 0xFFFFFFFE })),
    'warp 0, line 2: 1 thread (lane 0) stores in[2]: 1; 1 sector; 31 threads elsewhere in the code');
  assert.equal(said(access({ s: 'shared', a: 0, c: 0, p: 4, q: 1, r: [[32, 64, 0]] })),
    'warp 0, line 2: 32 threads load tile[0]; 4 passes where 1 would do: bank conflicts');
  assert.equal(said({ w: 1, i: 1, m: 0xFF, e: 'arrive', A: 40 }), 'warp 1, line 7 of other.h: 8 threads at the barrier; 40 of the block wait there');
  assert.equal(said({ w: 0, i: 2, m: 0xFFFFFFFF, n: 2, t: 3 }), 'warp 0, PTX line 9: 32 threads: 2 instructions [time 4 here]');
  assert.equal(said(access({ a: 2, z: 4, r: [[1, 0, 0]], m: 1, o: 0, c: 1 })).includes('n?<[0]'), true, 'a control character is shown as ?');
});

test('who waits at barriers, and who only comes by', () => {
  const all = 0xFFFFFFFF, block = { steps: [{ w: 0, i: 1, m: all, e: 'arrive', A: 32, u: [[1, 0, all]] }, { w: 1, i: 0, m: 255, n: 1 }, { w: 2, i: 2, m: 1, e: 'arrive', A: 33, u: [[2, 2, 1]] },
    { w: 1, i: 0, m: 255, n: 1 }, { w: 1, i: 1, m: 255, e: 'arrive', A: 41, u: [[1, 1, 255]] }, { w: 0, i: 1, m: 0, e: 'barrier', u: [[1]] }, { w: 2, i: 2, m: 1, n: 1, u: [[2, 2, 0]] }] };
  const sentences = block.steps.map((s, i) => page.sentenceAt(page.film, block, i).replace(/^[^:]*: /, ''));
  assert.deepEqual(own(sentences), ['32 threads at the barrier; 32 of the block wait there', '8 threads: 1 instruction; 32 threads of warp 0 wait at the barrier of line 7 of other.h',
    '1 thread (lane 0) at the barrier; 33 of the block wait there; 32 threads of warp 0 wait at the barrier of line 7 of other.h',
    '8 threads: 1 instruction; 32 threads of warp 0 wait at the barrier of line 7 of other.h; 1 thread of warp 2 waits at the barrier of PTX line 9',
    '8 threads at the barrier; 41 of the block wait there; 1 thread of warp 2 waits at the barrier of PTX line 9',
    'the barrier has all its threads, and they go on; 1 thread of warp 2 waits at the barrier of PTX line 9', '1 thread (lane 0): 1 instruction']);
  const many = [{ inst: 1, warp: 0, lanes: all }, { inst: 1, warp: 1, lanes: 1 }, { inst: 1, warp: 2, lanes: 2 }, { inst: 1, warp: 31, lanes: all }];
  assert.match(said({ w: 4, i: 2, m: all, n: 1 }, many), /; 66 threads of warps 0-2, 31 wait at the barrier of line 7 of other\.h$/);
  assert.equal(said({ w: 1, i: 1, m: 255, e: 'arrive', d: 1, A: 40 }), 'warp 1, line 7 of other.h: 8 threads arrive at the barrier and go on; 40 of the block have come there');
});

test('who waits at any step is who waits when one goes there step by step', () => {
  const steps = [];
  for (let i = 0, seed = 7; i < 2000; i++) {
    seed = seed * 1103515245 % 2147483648;
    const warp = (seed >> 8) % 8, inst = (seed >> 12) % 3;
    steps.push(i % 3 ? { w: warp, i: 0 } : { w: warp, i: 0, u: [i % 9 ? [inst, warp, i % 5 ? (seed >> 3) + 1 : 0] : [inst]] });
  }
  const list = [], text = waits => waits.map(w => `${w.inst}/${w.warp}/${w.lanes}`).sort().join(' ');
  steps.forEach((s, i) => {
    page.waitStep(list, s);
    assert.equal(text(page.waitingAt({ steps }, i)), text(list));
  });
  const block = { steps };
  for (const i of [1999, 0, 700, 64 * 3, 64 * 3 - 1]) {
    const again = [];
    for (let k = 0; k <= i; k++) page.waitStep(again, steps[k]);
    assert.equal(text(page.waitingAt(block, i)), text(again));
  }
});

test('what is left out is said', () => {
  const block = (more) => ({ seen: 10, kept: 10, every: 1, instructions: 70, shown: 70, ...more });
  const film = (blocks, more) => ({ grid: [2, 1, 1], counters: { warp_instructions: 140 }, blocks, ...more });
  assert.equal(page.leftOut(film([block(), block()])), 'All of it is shown, step by step.');
  assert.equal(page.leftOut(film([block()])), 'Shown of it: 1 of 2 blocks, 70 of 140 instructions of warps.');
  assert.equal(page.leftOut(film([block(), block({ kept: 4, shown: 20 })], { more_arrays: 3, more_lines: 5 })),
    'Shown of it: 2 of 2 blocks, 14 of 20 steps of these, 90 of 140 instructions of warps. Of 3 more allocations no names are known. The table leaves out 5 lines.');
  assert.equal(page.leftOutOf(block()), '10 steps');
  assert.equal(page.leftOutOf(block({ kept: 4, shown: 20, every: 32, cut: true })), '4 of 10 steps: of each instruction every 32nd time that a warp comes by it, the first one always; ' +
    '20 of 70 instructions of warps are in these steps; and the film ends before the block does');
  assert.deepEqual([2, 3, 11, 12, 16, 512, 1, 111].map(n => page.nth(n)), ['2nd', '3rd', '11th', '12th', '16th', '512th', '1st', '111th']);
});

test('what a step leaves out is put in', () => {
  const film = page.withSteps({ block: [40, 1, 1], blocks: [{}, {}] }, [[{ w: 0, i: 0, k: 'load', z: 4 }, { w: 1, i: 0, g: 3, e: 'fault', z: 4 }, { w: 1, i: 0, m: 1, k: 'load', z: 4, s: 'shared' }]]);
  assert.deepEqual(own(film.blocks.map((b) => b.steps)), [[{ w: 0, i: 0, k: 'load', z: 4, m: 0xFFFFFFFF, e: 'access', s: 'global' }, { w: 1, i: 0, g: 3, e: 'fault', z: 4, m: 252, s: 'global' },
    { w: 1, i: 0, m: 1, k: 'load', z: 4, s: 'shared', e: 'access' }], []]);
});

test('where an access is outside of all arrays, its address is said', () => {
  assert.equal(said(access({ a: 0, m: 1, e: 'fault', r: [[1, '0x200000000004', 0]], c: 0 })), 'warp 0, line 2: 1 thread (lane 0) at fault: address 0x200000000004');
});

test('lanes and their bytes', () => {
  assert.deepEqual(own(page.touched(access({ m: 0b10110, r: [[2, 8, 4], [1, 100, 0]] }), 8)), [[1, 0], [2, 4], [4, 92]]);
});

test('the last number that is at most n', () => {
  const list = [2, 5, 9];
  assert.deepEqual([1, 2, 4, 5, 8, 9, 99].map((n) => page.lastAtMost(list, n)), [-1, 2, 2, 5, 5, 9, 9]);
  assert.equal(page.lastAtMost([], 3), -1);
});

test('marks: barriers, where lanes part, faults', () => {
  const steps = [{ w: 0 }, { w: 0, o: 1 }, { w: 0, o: 1 }, { w: 1, o: 2 }, { w: 0, e: 'barrier' }, { w: 0, e: 'fault', o: 4 }];
  assert.deepEqual([...page.marksOf(0, steps)].map(own), [[1, 'part'], [3, 'part'], [4, 'barrier'], [5, 'finding']]);
});

test('a large array shows what lies round the step\'s cells', () => {
  assert.deepEqual(own(page.layoutOf({ bytes: 256 }, 4, 0)), { total: 64, across: 32, rows: 2, from: 0, shown: 2 });
  const l = page.layoutOf({ bytes: 4 << 20 }, 4, 320000), near = page.layoutOf({ bytes: 4 << 20 }, 4, 320032);
  assert.ok(l.from * l.across <= 320000 && (l.from + l.shown) * l.across > 320031 && l.shown < l.rows);
  assert.deepEqual(own(near), own(l), 'and stays where it is while they are in view');
  assert.equal(page.layoutOf({ bytes: 1024, shape: [16, 16] }, 4, 0).across, 16);
  assert.equal(page.layoutOf({ bytes: 2 }, 4, 0).total, 1);
});

test('what registers hold: one number, one that goes up by lanes, one for each, predicates', () => {
  const { held } = page.film, text = (entry, i, lane) => page.heldText(entry, held[i], held[i].type, lane);
  assert.equal(text([0, 7, 0], 0, 31), '7');
  assert.equal(text([0, 4294967290, 2], 0, 2), '-2');
  assert.equal(text([0, 4294967290, 2], 0, 3), '0');
  assert.equal(text([1, '0x7ffffffffffffff0', 4], 1, 1), '0x7ffffffffffffff4');
  assert.equal(text([2, 5, 0], 2, 1) + text([2, 5, 0], 2, 2), 'falsetrue');
  const each = new DataView(new ArrayBuffer(128));
  for (let lane = 0; lane < 32; lane++) each.setFloat32(4 * lane, lane / 4, true);
  const bytes = Buffer.from(each.buffer).toString('base64');
  assert.equal(text([3, bytes], 3, 31), '7.75');
  assert.equal(text([3, bytes], 3, 1), '0.25');
});

test('what a thread\'s registers held, by the last step of its warp that says so', () => {
  const steps = [{ w: 0, i: 0, m: 1, h: [[0, 1, 0]] }, { w: 1, i: 0, m: 1, h: [[0, 9, 0]] }, { w: 0, i: 0, m: 1 }, { w: 0, i: 0, m: 1, h: [[0, 2, 1]] }];
  const with2 = load(small);
  with2.film.blocks.push({ linear: 0, index: [0, 0, 0], steps });
  const at = (step, warp, lane) => { const a = with2.heldAt(0, step, warp, 0, 's32', lane); return a && `${a.text} since ${a.since}`; };
  assert.deepEqual([at(0, 0, 5), at(2, 0, 5), at(3, 0, 5), at(0, 1, 0), at(3, 1, 0)], ['1 since 0', '1 since 0', '7 since 3', null, '9 since 1']);
});

test('who misses an array by little, and where its guard zones lie', () => {
  const place = { id: 1, name: 'in', type: 'f32', bytes: 64, address: '0x200000000100' };
  const fault = { w: 0, i: 0, m: 3, e: 'fault', s: 'global', z: 4, r: [[1, 0x200000000140, 0], [1, 0x2000000000fc, 0]] };
  assert.deepEqual(own(page.strays(fault, place)), [[0, 64], [1, -4]]);
  assert.deepEqual(own(page.strays({ ...fault, r: [[2, 0x200000000104, 4]] }, place)), [], 'inside');
  assert.deepEqual(own(page.strays({ ...fault, r: [[2, 0x200000010000, 4]] }, place)), [], 'far away');
  assert.deepEqual(own(page.strays({ ...fault, e: 'access' }, place)), []);
  const film = load({ ...small, arrays: [place] });
  film.film.blocks.push({ linear: 0, index: [0, 0, 0], steps: [fault] });
  const [array] = film.film.arrays, l = film.layoutOf(array, 4, 0), v = film.viewOf(array, 4, l);
  assert.deepEqual(own([v.before, v.behind, v.rows, v.at(0), v.at(-1), v.at(16)]), [16, 16, 3, [0, 1], [15, 0], [0, 2]]);
  assert.deepEqual([-17, -16, 15, 31, 32].map(i => v.has(i)), [false, true, true, true, false]);
  assert.equal(v.element(15, 0), -1);
  const clean = load({ ...small, arrays: [place] }), none = clean.viewOf(clean.film.arrays[0], 4, l);
  assert.deepEqual(own([none.before, none.behind, none.rows, none.at(0)]), [0, 0, 1, [0, 0]], 'no zone where nobody goes');
});

test('a finding that is not shown names its block', () => {
  const film = load({ ...small, grid: [4, 3, 2] });
  assert.match(film.missing({ block: [1, 2, 1] }), /--film-blocks=21 /);
  assert.equal(film.missing({}), 'Its moment is not in this film.');
});

test('a halo: so many elements at each end of each dimension', () => {
  const place = { shape: [4, 5], halo: [1, 1] }, rows = Array.from({ length: 4 }, (_, y) => Array.from({ length: 5 }, (_, x) => page.inHalo(place, 5 * y + x) ? 'h' : '.').join(''));
  assert.deepEqual(rows, ['hhhhh', 'h...h', 'h...h', 'hhhhh']);
  const line = { shape: [8], halo: [2] }, tall = { shape: [5, 4], halo: [2, 0] };
  assert.deepEqual(Array.from({ length: 8 }, (_, i) => page.inHalo(line, i) ? 'h' : '.').join(''), 'hh....hh');
  assert.deepEqual(Array.from({ length: 20 }, (_, i) => page.inHalo(tall, i) ? 'h' : '.').join(''), 'hhhhhhhh....hhhhhhhh');
});

test('planes of a volume', () => {
  const volume = { bytes: 4 * 4 * 8 * 8, shape: [4, 8, 8] };
  assert.deepEqual(own(page.planesOf(volume, page.layoutOf(volume, 4, 0))), [8, 16, 24]);
  assert.deepEqual(own(page.planesOf(volume, { across: 8, from: 6, shown: 12 })), [2, 10]);
  for (const shape of [undefined, [16, 16], [2, 2, 300]]) {
    const other = { bytes: 4096, shape };
    assert.deepEqual(own(page.planesOf(other, page.layoutOf(other, 4, 0))), []);
  }
});

test('lanes have colours of rising lightness', () => {
  const lightness = Array.from({ length: 32 }, (_, lane) => {
    const [r, g, b] = page.laneColorOf(lane).match(/\d+/g).map(Number);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  });
  for (let lane = 1; lane < 32; lane++) assert.ok(lightness[lane] > lightness[lane - 1], `lane ${lane}`);
});

// ---- colours, as the colour-blind see them ----

const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
// What a colour becomes in linear light, for who has no cones of one kind (Vienot, Brettel, Mollon 1999; Machado, Oliveira, Fernandes 2009 for the third).
const SIGHT = {
  all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  deuteranopia: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};
const seen = (rgb, sight) => SIGHT[sight].map((row) => Math.min(1, Math.max(0, row.reduce((sum, m, i) => sum + m * linear(rgb[i]), 0))));
const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
const contrast = (a, b) => (Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);
function lab([r, g, b]) { // CIE L*a*b*, white of D65
  const f = (t) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29);
  const [x, y, z] = [0.4124 * r + 0.3576 * g + 0.1805 * b, 0.2126 * r + 0.7152 * g + 0.0722 * b, 0.0193 * r + 0.1192 * g + 0.9505 * b];
  return [116 * f(y) - 16, 500 * (f(x / 0.9505) - f(y)), 200 * (f(y) - f(z / 1.089))];
}
const distance = (a, b) => Math.hypot(...lab(a).map((v, i) => v - lab(b)[i]));
const css = readFileSync(new URL('film.css', folder), 'utf8');
const schemes = [...css.matchAll(/:root \{([^}]*)\}/g)].map((m) => Object.fromEntries([...m[1].matchAll(/--([\w-]+): #(\w{6})/g)].map(([, name, hex]) => [name, [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16))])));

test('the style has a light and a dark scheme, with the same colours in both', () => {
  assert.equal(schemes.length, 2);
  assert.deepEqual(Object.keys(schemes[0]).sort(), Object.keys(schemes[1]).sort());
});

for (const sight of Object.keys(SIGHT)) {
  const kind = sight === 'all' ? 'all cones' : sight;
  test(`${kind}: texts, marks and outlines stand out from what is behind them`, () => {
    for (const [i, s] of schemes.entries()) {
      const pairs = [['ink', 'paper', 7], ['ink', 'panel', 7], ['ink', 'line', 7], ['soft', 'paper', 4.5], ['soft', 'panel', 4.5], ['on-accent', 'accent', 4.5], ['wait', 'paper', 3], ['wait', 'cell', 3],
        ['elsewhere', 'paper', 3], ['elsewhere', 'cell', 3], ['finding', 'paper', 3], ['finding', 'cell', 3], ['accent', 'paper', 3]];
      for (const [a, b, least] of pairs) {
        const is = contrast(seen(s[a], sight), seen(s[b], sight));
        assert.ok(is >= least, `${i ? 'dark' : 'light'}: ${a} on ${b} is ${is.toFixed(2)}`);
      }
    }
  });
  test(`${kind}: what means different things has different colours`, () => {
    for (const [i, s] of schemes.entries())
      for (const [a, b] of [['finding', 'accent'], ['wait', 'elsewhere'], ['elsewhere', 'finding'], ['wait', 'finding'], ['cell', 'paper']]) {
        const is = distance(seen(s[a], sight), seen(s[b], sight));
        assert.ok(is >= (a === 'cell' ? 5 : 15), `${i ? 'dark' : 'light'}: ${a} and ${b} are ${is.toFixed(1)} apart`);
      }
  });
  test(`${kind}: neighbouring lanes differ, those four apart plainly`, () => {
    const lanes = Array.from({ length: 32 }, (_, lane) => seen(page.laneColorOf(lane).match(/\d+/g).map(Number), sight));
    for (let lane = 1; lane < 32; lane++) assert.ok(distance(lanes[lane], lanes[lane - 1]) >= 1, `lanes ${lane - 1} and ${lane}`);
    for (let lane = 4; lane < 32; lane++) assert.ok(distance(lanes[lane], lanes[lane - 4]) >= 6, `lanes ${lane - 4} and ${lane}: ${distance(lanes[lane], lanes[lane - 4])}`);
  });
}

test('both parties of a race', () => {
  const race = { access: 'write', thread: [1, 0, 0], block: [0, 0, 0], line: 5, other: { access: 'read', thread: [2, 0, 0], line: 9 } };
  assert.equal(page.partiesOf(race), 'write by thread 1,0,0 of block 0,0,0 at line 5; read by thread 2,0,0 of block 0,0,0 at line 9');
  assert.equal(page.heatOf({ warp_instructions: 2, thread_instructions: 16 }, 'lost'), 75);
});

// ---- rules for the sources ----

for (const name of names) {
  const text = sources[name], code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
  test(`${name}: parses`, () => { new vm.Script(text, { filename: name }); });
  test(`${name}: texts get in by textContent alone, and nothing is asked of a network`, () => {
    const bad = code.match(/\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|Function|fetch|XMLHttpRequest|WebSocket|EventSource|importScripts|sendBeacon|import)\b/);
    assert.equal(bad && bad[0], null);
  });
  test(`${name}: no tab, no blank at a line's end, no line over 200 columns`, () => {
    text.split('\n').forEach((line, i) => assert.ok(!/\t|\s$/.test(line) && line.length <= 200, `line ${i + 1}`));
  });
}

// Both files are one program: what one declares the other uses.
const GLOBALS = ['document', 'window', 'location', 'history', 'atob', 'getComputedStyle', 'requestAnimationFrame', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'URLSearchParams', 'ResizeObserver'];
const RULES = Object.fromEntries([...`no-undef no-unused-vars no-var no-shadow no-redeclare no-use-before-define eqeqeq no-debugger no-console no-eval no-implied-eval no-new-func no-script-url
  no-unreachable no-fallthrough no-dupe-keys no-dupe-args no-dupe-else-if no-duplicate-case no-const-assign no-func-assign no-global-assign no-self-assign no-self-compare no-cond-assign
  no-constant-condition no-loss-of-precision no-unsafe-negation no-unsafe-finally no-sparse-arrays no-unexpected-multiline no-useless-escape no-useless-return no-empty no-extra-boolean-cast
  no-promise-executor-return no-throw-literal array-callback-return use-isnan valid-typeof getter-return default-case-last prefer-const radix`.split(/\s+/)].map((rule) => [rule, 'error']));
RULES['no-use-before-define'] = ['error', { functions: false, variables: false }];
function lint(Linter, code) {
  const config = [{ files: ['**/*.js'], languageOptions: { ecmaVersion: 2022, sourceType: 'script', globals: Object.fromEntries(GLOBALS.map((name) => [name, 'readonly'])) }, rules: RULES }];
  return new Linter({ configType: 'flat' }).verify(code, config, { filename: 'page.js' }).map((m) => `${m.line}: ${m.message} (${m.ruleId})`);
}
let Linter;
try {
  ({ Linter } = createRequire(new URL('../../../../grader/report/test/browser/page.mjs', import.meta.url))('eslint'));
} catch { /* not installed: make setup-all */ }
test('eslint has nothing to say', { skip: !Linter && 'eslint is not here (make setup-all)' }, () => {
  assert.deepEqual(lint(Linter, names.map((name) => sources[name]).join('\n')), []);
  assert.match(lint(Linter, 'function neverCalled() { return nowhere == 1; }').join('\n'), /neverCalled.*never used[^]*nowhere[^]*===/, 'and would have');
});
