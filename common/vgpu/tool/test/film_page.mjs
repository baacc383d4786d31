// Pages of films in headless Chromium: TAP on standard output.
//
//   node page.mjs MODULES SHOTS FILM.html FILM.txt ...    MODULES: where playwright-core and axe-core are; SHOTS: a folder for screenshots, or ""
//
// A pair of files for each film: the page must say of each step what the text says.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, shots, ...films] = process.argv.slice(2);
const require = createRequire(pathToFileURL(join(resolve(modules), 'page.mjs')));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const PATIENCE = 120000; // ms: only what never comes is waited for that long
let n = 0;
let failed = 0;

function ok(condition, name, detail = '') {
  n++;
  failed += condition ? 0 : 1;
  console.log(`${condition ? 'ok' : 'not ok'} ${n} - ${name}`);
  if (!condition && detail) console.log(String(detail).replace(/^/gm, '# '));
}
const same = (wanted, got, name) =>
  ok(JSON.stringify(wanted) === JSON.stringify(got), name, `expected ${JSON.stringify(wanted)}\ngot      ${JSON.stringify(got)}`);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

// A page that notes what must not happen.
async function open(file, options = {}, hash = '', ownClock = false) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.bad = [];
  page.setDefaultTimeout(PATIENCE);
  if (ownClock) await page.clock.install();
  page.on('console', (m) => { if (m.type() === 'error') page.bad.push(`console: ${m.text()}`); });
  page.on('pageerror', (e) => page.bad.push(`error: ${e}`));
  page.on('dialog', (d) => { page.bad.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', (r) => { if (!r.url().startsWith('file:')) page.bad.push(`request: ${r.url()}`); });
  await page.goto(pathToFileURL(resolve(file)).href + hash);
  return page;
}

// Has it come true? The page itself may not evaluate texts (waitForFunction would).
async function until(page, condition) {
  for (const end = Date.now() + PATIENCE; Date.now() < end; await page.waitForTimeout(20)) if (await page.evaluate(condition)) return true;
  return false;
}

const sentencesOf = (text) => {
  const blocks = [];
  for (const line of text.split('\n')) {
    if (/^Block /.test(line)) blocks.push([]);
    const step = /^ +(\d+)  (warp .*)$/.exec(line);
    if (step && blocks.length) blocks[blocks.length - 1].push(step[2]);
  }
  return blocks;
};
const at = (page) => page.$eval('#position', (e) => Number(/^Step (\d+)/.exec(e.textContent)[1]));
const said = (page) => page.$eval('#sentence', (e) => e.textContent);

async function sayTheSame(page, name, text) {
  const wanted = sentencesOf(text);
  const got = await page.evaluate('film.blocks.map(b => b.steps.map((s, i) => sentenceAt(film, b, i)))');
  const different = [];
  wanted.forEach((block, b) => block.forEach((line, i) => { if (line !== (got[b] || [])[i]) different.push(`block ${b} step ${i}:\n${line}\n${(got[b] || [])[i]}`); }));
  same(wanted.map((b) => b.length), got.map((b) => b.length), `${name}: as many steps as the text`);
  ok(wanted.flat().length > 0 && different.length === 0, `${name}: the same sentences as the text`, different.slice(0, 3).join('\n'));
  const parties = await page.evaluate('film.findings.filter(f => f.finding.thread).map(f => partiesOf(f.finding))');
  same(parties, text.split('\n').filter((line) => / by thread [0-9,]+ of block /.test(line)).map((line) => line.trim()), `${name}: the same threads at fault`);
  const left = text.split('\n').filter((line) => /^(All of it|Shown of it)|^Block /.test(line)).map((line) => line.replace(/^Block [0-9,]*: /, ''));
  same(left, await page.evaluate('[leftOut(film), ...film.blocks.map(leftOutOf)]'), `${name}: and what is left out`);
}

// The picture counts sectors and passes from addresses; the film has them from the counters' own code.
async function countTheSame(page, name) {
  const wrong = await page.evaluate(`film.blocks.flatMap(b => b.steps.filter(s => s.e === 'access').flatMap(s => {
    const cells = touched(s, 0);
    if (cells.length !== popcount(eventMask(s))) return [];
    if (s.s === 'global' && s.c) {
      const sectors = new Set(cells.flatMap(([, from]) => [Math.floor(from / 32), Math.floor((from + s.z - 1) / 32)]));
      return sectors.size === s.c || !s.a ? [] : ['sectors ' + sectors.size + ' ' + JSON.stringify(s)];
    }
    if (s.s === 'shared' && s.p && s.z <= 4) {
      const banks = Array.from({ length: 32 }, () => new Set());
      cells.forEach(([, from]) => banks[from >> 2 & 31].add(from >> 2));
      const most = Math.max(...banks.map(b => b.size));
      return most === s.p ? [] : ['passes ' + most + ' ' + JSON.stringify(s)];
    }
    return [];
  }))`);
  ok(wrong.length === 0, `${name}: sectors and passes as counted`, wrong.slice(0, 3).join('\n'));
}

async function keyboardWalk(page, name) {
  const last = await page.evaluate('steps().length - 1');
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Home');
  same(0, await at(page), `${name}: Home goes to the first step`);
  const first = await said(page);
  await page.keyboard.press('ArrowRight');
  same(1, await at(page), `${name}: an arrow goes on`);
  ok(await said(page) !== first || last < 1, `${name}: and the sentence with it`);
  await page.keyboard.press('ArrowLeft');
  same(0, await at(page), `${name}: and back`);
  await page.keyboard.press('End');
  same(last, await at(page), `${name}: End goes to the last`);
  for (let i = 0; i < 40 && await page.evaluate('document.activeElement.id') !== 'next'; i++) await page.keyboard.press('Tab');
  same('next', await page.evaluate('document.activeElement.id'), `${name}: Tab reaches the buttons`);
  await page.evaluate('show(0)');
  await page.keyboard.press('Enter');
  same(1, await at(page), `${name}: and Enter presses them`);
  await page.click('#last');
  await page.click('[data-jump="-line"]');
  ok(await at(page) < last, `${name}: back by a line`);
  await page.click('#first');
  await page.selectOption('#speed', '4');
  await page.click('#play');
  same('true', await page.getAttribute('#play', 'aria-pressed'), `${name}: it plays`);
  ok(await until(page, 'at.step >= 1'), `${name}: from step to step`);
  await page.click('#play');
  same('false', await page.getAttribute('#play', 'aria-pressed'), `${name}: and stops`);
}

async function filters(page, name) {
  const warps = await page.evaluate('Math.ceil(film.block[0] * film.block[1] * film.block[2] / 32)');
  await page.evaluate("document.getElementById('filters').open = true");
  await page.selectOption('#f-warp', String(warps - 1));
  await page.click('#first');
  const wanted = await page.evaluate(`steps().findIndex((s, i) => i > 0 && s.w === ${warps - 1})`);
  await page.click('#next');
  if (wanted > 0) same(wanted, await at(page), `${name}: with a filter a step goes to the warp's next one`);
  await page.click('#f-none');
}

// Of a race: both threads, the place where they met, what the other one did, and what would have ordered them.
async function bothParties(page, finding, name) {
  same(2, await page.evaluate('threadsAtFault().size'), `${name}: both threads are marked`);
  ok((await page.textContent('#arrays') + await page.textContent('#shared')).includes('ringed'), `${name}: and where they met`);
  const other = await page.evaluate(`sentenceAt(film, film.blocks[at.block], ${finding.other})`);
  ok((await page.textContent('#note')).includes(other), `${name}: and what the other one does is said`, await page.textContent('#note'));
  await page.locator('#findings button').nth(1).click();
  same(finding.other, await at(page), `${name}: a button goes there, too`);
  ok((await page.textContent('#note')).includes(finding.finding.hint), `${name}: where the same is said`);
}

// On paper: the moment without the controls, the lines about the current one, and light colours, also where the screen's are dark.
async function onPaper(file, name) {
  const page = await open(file, { colorScheme: 'dark', viewport: { width: 720, height: 1000 } });
  await page.evaluate('show(steps().length - 1)');
  const cell = () => page.evaluate(`[...$('threads').getContext('2d').getImageData(5, 5, 1, 1).data].slice(0, 3).join()`);
  const cellColor = () => page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--paper').trim()");
  same('#14181d', await cellColor(), `${name}: a dark screen`);
  const dark = await cell();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  same('#ffffff', await cellColor(), `${name}: is light on paper`);
  await until(page, `[...$('threads').getContext('2d').getImageData(5, 5, 1, 1).data].slice(0, 3).join() !== '${dark}'`);
  ok(await cell() !== dark, `${name}: and so are the pictures`, dark);
  same([true, true, false, false], [await page.isVisible('#sentence'), await page.isVisible('#threads'), await page.isVisible('#next'), await page.isVisible('#slider')], `${name}: without the controls`);
  const lines = await page.$$eval('#source tbody tr', (rows) => rows.filter((r) => r.offsetHeight > 0).length);
  ok(lines > 0 && lines <= 25, `${name}: the lines about the current one`, lines);
  const wide = await page.evaluate('document.documentElement.scrollWidth');
  ok(wide <= 720, `${name}: none of them runs off the sheet`, wide);
  const pdf = (await page.pdf()).toString('latin1');
  ok((pdf.match(/\/Type\s*\/Page\b/g) || []).length <= 4, `${name}: on four sheets at most`, (pdf.match(/\/Type\s*\/Page\b/g) || []).length);
  await page.context().close();
}

// Where the reader's own few colours are forced upon the page, marks can be told apart still, and the current line from the others.
async function fewColors(file, name) {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(file, { forcedColors: 'active', colorScheme });
    const backs = (what) => page.$$eval(what, (all) => all.map((e) => getComputedStyle(e).backgroundColor));
    same(3, new Set(await backs('.swatch')).size, `${name}: forced colours, ${colorScheme}: three kinds of marks`);
    const [now, other] = [await backs('#source tr.now td.n'), await backs('#source tr:not(.now) td.n')];
    ok(now.length === 1 && !other.includes(now[0]), `${name}: forced colours, ${colorScheme}: the current line`, `${now} ${other[0]}`);
    await page.context().close();
  }
}

// Nothing moves by itself: not at all where that is asked for, and otherwise only what the reader plays.
async function stillness(file, name) {
  for (const reducedMotion of ['reduce', 'no-preference']) {
    const page = await open(file, { reducedMotion }, '', true);
    const first = await at(page);
    await page.clock.runFor(60000);
    same([first, 0], [await at(page), await page.evaluate('document.getAnimations().length')], `${name}: ${reducedMotion}: it stands still until it is played`);
    same(reducedMotion === 'reduce' ? 'auto' : 'smooth', await page.$eval('#source', (e) => getComputedStyle(e).scrollBehavior), `${name}: ${reducedMotion}: the source scrolls as asked`);
    await page.context().close();
  }
}

async function moments(page, file, name) {
  const finding = await page.evaluate("film.findings.find(f => f.block >= 0 && f.step >= 0) || null");
  if (finding) {
    same(finding.step, await at(page), `${name}: it opens at the finding`);
    ok((await page.textContent('#note')).includes(finding.finding.hint), `${name}: and says what would mend it`);
    await page.click('#first');
    await page.click('#findings button');
    same(finding.step, await at(page), `${name}: its button goes there`);
    if (finding.other >= 0) await bothParties(page, finding, name);
  }
  const linear = await page.evaluate('film.blocks[film.blocks.length - 1].linear');
  const other = await open(file, {}, `#block=${linear}&step=2`);
  same([2, linear], [await at(other), await other.evaluate('film.blocks[at.block].linear')], `${name}: a link leads to its moment`);
  await other.context().close();
}

async function widths(file, name) {
  for (const colorScheme of ['light', 'dark'])
    for (const width of [360, 1024, 1920]) {
      const page = await open(file, { viewport: { width, height: 1000 }, colorScheme });
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      ok(wide <= width, `${name}: ${width} wide, ${colorScheme}: nothing sticks out`, `${wide}`);
      if (width !== 1024) {
        await page.addScriptTag({ content: axe }).catch(() => page.evaluate(axe));
        const result = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
        ok(result.violations.length === 0, `${name}: ${width} wide, ${colorScheme}: axe finds nothing`,
          result.violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.slice(0, 3).map((x) => x.html).join('\n')}`).join('\n'));
      }
      if (shots) await page.screenshot({ path: join(shots, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      same([], page.bad, `${name}: ${width} wide, ${colorScheme}: no error, no request`);
      await page.context().close();
    }
}

// Variables of film_values.cu have the values that its source gives them, for each thread, whatever else has happened.
async function variables(page, name, source) {
  const lineOf = (what) => source.split('\n').findIndex((l) => l.endsWith(`// line: ${what}`)) + 1;
  const wrong = await page.evaluate(`(() => {
    const wrong = [];
    const expect = (i, t, s, wanted) => {
      const rows = new Map(heldRows(i, t).map(([n, v]) => [n, v]));
      for (const n of Object.keys(wanted)) if (rows.get(n) !== String(wanted[n])) wrong.push('step ' + i + ' thread ' + t + ': ' + n + ' is ' + rows.get(n) + ', not ' + wanted[n]);
    };
    let loads = 0, stores = 0, returns = 0;
    steps().forEach((s, i) => {
      for (let t = s.w * 32; t < s.w * 32 + 32; t++) {
        if (s.e === 'access' && s.s === 'global' && s.k === 'load' && s.a && lineOf(s) === ${lineOf('loop')}) {
          const k = Number(new Map(heldRows(i, t)).get('k'));
          if (!(k >= 0 && k < 5)) wrong.push('step ' + i + ': k is ' + k);
          expect(i, t, s, { i: t, sum: (t + 1) * k * (k - 1) / 2, share: t / 4, 'pair[0]': t, 'pair[1]': -t });
          loads++;
        }
        if (s.e === 'access' && s.s === 'global' && s.k === 'store' && lineOf(s) === ${lineOf('store')}) expect(i, t, s, { i: t, sum: (t + 1) * 10 }), stores++;
        if (lineOf(s) === ${lineOf('return')} && film.insts[s.i].function !== film.symbol) expect(i, t, s, { doubled: 2 * t }), returns++;
      }
    });
    if (loads !== 320 || stores !== 64 || returns < 64) wrong.push(loads + ' loads, ' + stores + ' stores, ' + returns + ' returns');
    return wrong;
  })()`);
  ok(wrong.length === 0, `${name}: variables have their values`, wrong.slice(0, 8).join('\n'));
  await page.evaluate(`show(steps().findIndex(s => s.e === 'access' && s.k === 'store' && s.s === 'global' && s.w === 1))`);
  await page.fill('#h-thread', '37');
  const shown = await page.$$eval('#held tbody tr', (rows) => rows.map((r) => [...r.cells].slice(0, 2).map((c) => c.textContent).join(' = ')));
  ok(shown.includes('sum = 380') && shown.includes('i = 37'), `${name}: and the table says them of the thread that is asked for`, shown.join('\n'));
}

// What lies at a cell is said when the pointer is there.
async function pointer(page, name) {
  const step = await page.evaluate("steps().findIndex(s => s.e === 'access' && s.s === 'global' && s.r && s.r[0][0] > 8 && s.r[0][1] === 0 && s.v)");
  if (step < 0) return;
  await page.evaluate(`show(${step})`);
  const place = await page.evaluate(`placeOf(film, steps()[${step}]).place.name`);
  const canvas = page.locator('#arrays canvas').nth(await page.evaluate(`film.arrays.indexOf(placeOf(film, steps()[${step}]).place)`));
  await canvas.evaluate((c) => c.scrollIntoView({ block: 'start' })); // below what stays in place above
  await canvas.hover({ position: { x: 4, y: 4 } });
  const title = await canvas.getAttribute('title');
  ok(title.startsWith(`${place}[0]: `) && new RegExp(` in step ${step}; thread [0-9]+,[0-9]+,[0-9]+( and |$)`).test(title), `${name}: the pointer is told what lies in a cell`, title);
}

// An access that missed its array is seen in the zone at its end.
async function guardZone(page, name) {
  const missed = await page.evaluate(`(() => {
    for (const a of film.arrays) for (const [i, s] of steps().entries()) if (strays(s, a).length) return [film.arrays.indexOf(a), i, a.name];
    return null;
  })()`);
  ok(missed !== null, `${name}: some step misses an array`);
  if (!missed) return;
  await page.evaluate(`show(${missed[1]})`);
  const caption = await page.locator('#arrays .caption').nth(missed[0]).textContent();
  ok(caption.includes('the guard zone behind its last element'), `${name}: its guard zone is shown`, caption);
  const label = await page.locator('#arrays canvas').nth(missed[0]).getAttribute('aria-label');
  ok(/ threads? of this step (is|are) outside of it/.test(label), `${name}: and who is in it`, label);
}

// A film of a lab at three widths, in one page: as wide as it may be, and without a violation where it is narrowest.
async function labWidths(page, name, dark) {
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  for (const width of [1920, 1024, 360]) {
    await page.setViewportSize({ width, height: 1000 });
    // Pictures are drawn anew for the width in a frame of their own.
    await until(page, `document.documentElement.scrollWidth <= ${width}`);
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    ok(wide <= width, `${name}: ${width} wide: nothing sticks out`, `${wide}`);
  }
  await page.evaluate(axe);
  const result = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  ok(result.violations.length === 0, `${name}: ${dark ? 'dark' : 'light'}: axe finds nothing`,
    result.violations.map((v) => `${v.id}: ${v.help}\n${v.nodes.slice(0, 3).map((x) => x.html).join('\n')}`).join('\n'));
}

for (let i = 0; i + 1 < films.length; i += 2) {
  const name = basename(films[i], '.html');
  const bytes = readFileSync(films[i]).length;
  ok(bytes < 3e6, `${name}: under 3 MB`, bytes);
  const page = await open(films[i]);
  await sayTheSame(page, name, readFileSync(films[i + 1], 'utf8'));
  await countTheSame(page, name);
  await moments(page, films[i], name);
  await keyboardWalk(page, name);
  await filters(page, name);
  await pointer(page, name);
  if (name.startsWith('lab-')) await labWidths(page, name, i / 2 % 2 === 1);
  if (name === 'fault') await guardZone(page, name);
  if (name === 'mixed') ok((await page.textContent('#arrays')).includes('framed: its halo'), `${name}: a halo is framed`);
  if (name.startsWith('values')) await variables(page, name, readFileSync(new URL('film_values.cu', import.meta.url), 'utf8'));
  else ok(await page.isHidden('#held-part'), `${name}: nothing of variables without debug information`);
  same([], page.bad, `${name}: no error, no request`);
  same(0, await page.evaluate('window.attacked || 0'), `${name}: nothing of the program's texts ran`);
  await page.context().close();
  if (name === 'race' || name === 'values') await widths(films[i], name);
  if (name === 'race') {
    await onPaper(films[i], name);
    await fewColors(films[i], name);
    await stillness(films[i], name);
  }
}
await browser.close();
console.log(`1..${n}`);
process.exit(failed ? 1 : 0);
