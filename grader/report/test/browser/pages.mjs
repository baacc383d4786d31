// The report's pages in headless Chromium: TAP on standard output.
//
//   node pages.mjs CLASS HOSTILE SIMILAR LEADERBOARD     folders of two reports, of a class and of one whose every text is an attack, and of pages beside them
import { chromium } from 'playwright-core';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [classFolder, hostileFolder, similarFolder, leaderboardFolder] = process.argv.slice(2).map((folder) => resolve(folder));
const browserPath = process.env.CHROMIUM || '/usr/bin/chromium';
const widths = [360, 1024, 1920];
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
const urlOf = (...path) => pathToFileURL(join(...path)).href;

const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'],
});

// A page that notes what must not happen: messages of errors, dialogs, requests that leave the folder.
async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1024, height: 800 }, ...options });
  const page = await context.newPage();
  page.bad = [];
  page.on('console', (m) => { if (m.type() === 'error') page.bad.push(`console: ${m.text()}`); });
  page.on('pageerror', (e) => page.bad.push(`error: ${e}`));
  page.on('dialog', (d) => { page.bad.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', (r) => { if (!r.url().startsWith('file:')) page.bad.push(`request: ${r.url()}`); });
  await page.goto(url);
  return page;
}
const students = (page) => page.$$eval('#class-table tbody tr:not([hidden]) th', (cells) => cells.map((c) => c.textContent.trim()));
const sorted = (page) => page.$$eval('#class-table thead th', (heads) => heads.map((h) => h.getAttribute('aria-sort') || '').join(','));
const head = (page, name) => page.locator('#class-table thead button', { hasText: name });

// Text that is cut: it overflows a box that hides what does not fit, or the page is wider than the window. A table may be scrolled, but
// its caption stays in view.
const cutText = (page) => page.evaluate(() => {
  const cut = [];
  if (document.documentElement.scrollWidth > window.innerWidth)
    cut.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const e of document.body.querySelectorAll('.scroll')) e.scrollLeft = 1e4;
  for (const e of document.body.querySelectorAll('*')) {
    const style = getComputedStyle(e);
    const hides = ['hidden', 'clip'].includes(style.overflowX) && e.tagName !== 'svg' && !e.closest('svg');
    if (hides && e.textContent.trim() && e.scrollWidth > e.clientWidth + 1) cut.push(`${e.tagName} ${e.className}: ${e.textContent.slice(0, 40)}`);
    const box = e.getBoundingClientRect();
    if (box.width && (e.tagName === 'CAPTION' || !e.closest('.scroll, pre, svg')) && (box.right > window.innerWidth + 1 || box.left < -1))
      cut.push(`${e.tagName} ${e.className} from ${box.left} to ${box.right}`);
  }
  return cut.slice(0, 5);
});

// ---- the class ----
const index = urlOf(classFolder, 'index.html');
let page = await open(index);
const all = await students(page);
same(['s001', 's002', 's003', 's004'], all, 'the table has the students in order');
await head(page, 'Student').click();
await head(page, 'Student').click();
same([...all].reverse(), await students(page), 'the second click on a heading sorts downwards');
same('descending,,,', await sorted(page), 'and says so to a screen reader');
await head(page, '02-vector-add').click();
const points = await page.$$eval('#class-table tbody tr', (rows) => rows.map((r) => r.cells[2].getAttribute('data-v')).map((v) => (v === '' ? -1 : Number(v))));
same([...points].sort((a, b) => a - b), points, 'points sort as numbers');
await head(page, 'Total').focus();
await page.keyboard.press('Enter');
same(',,,ascending', await sorted(page), 'the keyboard sorts, too');

await page.fill('#find', 'S00');
same(4, (await students(page)).length, 'a filter looks for a part of the name, in any case');
await page.fill('#find', 's002');
same(['s002'], await students(page), 'and leaves those who have it');
same('1 of 4 students', await page.textContent('#count'), 'and tells how many');
await page.fill('#find', '');
await page.selectOption('#verdict', 'build-error');
same(['s003'], await students(page), 'a verdict chooses those who got it');
await page.selectOption('#verdict', '');
same(4, (await students(page)).length, 'and lets go of them');

await page.click('#class-table tbody tr:has(th:text-is("s002")) a.cell >> nth=-1');
ok((await page.textContent('h1')).includes('s002'), 'a cell leads to the page of its student');
ok((await page.textContent('main')).includes('vector_add.cu:23'), 'where the finding has its line');
await page.click('nav a');
same('Results of the class', await page.textContent('h1'), 'and back');
same([], page.bad, 'no error, no dialog, no request to anywhere');

// ---- looks ----
const pagesOf = (folder) => ['index.html', ...readdirSync(folder, { withFileTypes: true }).filter((e) => e.isDirectory())
  .flatMap((e) => readdirSync(join(folder, e.name)).map((f) => join(e.name, f)))];
for (const [what, folder] of [['class', classFolder], ['hostile', hostileFolder]])
  for (const width of widths) {
    const cut = [];
    for (const name of pagesOf(folder)) {
      page = await open(urlOf(folder, name), { viewport: { width, height: 800 } });
      cut.push(...(await cutText(page)).map((c) => `${name}: ${c}`));
      await page.context().close();
    }
    same([], cut, `${what}: no text is cut at ${width} pixels`);
  }
const colours = [];
for (const colorScheme of ['light', 'dark']) {
  page = await open(index, { colorScheme });
  colours.push(await page.$eval('body', (b) => getComputedStyle(b).backgroundColor));
}
ok(colours[0] !== colours[1], 'light and dark differ', colours);
await page.emulateMedia({ media: 'print' });
same('none', await page.$eval('.tools', (e) => getComputedStyle(e).display), 'what a hand needs is not printed');
ok((await page.pdf()).length > 10000, 'it prints');
same([], await page.$$eval('input, select', (all) => all.filter((e) => !e.closest('label')).map((e) => e.id)), 'every control has a label');
same([], await page.$$eval('svg', (all) => all.filter((e) => !e.getAttribute('aria-label')).length ? ['svg'] : []), 'every picture has a text');

page = await open(index, { javaScriptEnabled: false });
same(4, await page.locator('#class-table tbody tr').count(), 'without scripts the table is whole');

// ---- for everybody: a page of each kind ----
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
async function violations(page, options = {}) {
  await page.evaluate(axeSource);
  const found = await page.evaluate((rules) => axe.run(document, { resultTypes: ['violations'], ...rules }), options);
  return found.violations.map((v) => `${v.id}: ${v.nodes.map((x) => x.html.slice(0, 90)).join(' | ').slice(0, 300)}`);
}
const kinds = { index, submission: urlOf(classFolder, 's002', '02-vector-add.html'), 'build error': urlOf(classFolder, 's003', '02-vector-add.html'), 'submission with its source': urlOf(hostileFolder, pagesOf(hostileFolder)[1]),
  'a student\'s page': urlOf(hostileFolder, 'student.html'), similar: urlOf(similarFolder, 'similar.html'), leaderboard: urlOf(leaderboardFolder, 'leaderboard.html') };
for (const [kind, url] of Object.entries(kinds)) {
  page = await open(url, { viewport: { width: 360, height: 800 }, bypassCSP: true });
  const found = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  same([[], []], [found, await violations(page, { runOnly: ['color-contrast'] })], `axe-core: ${kind}, light and dark`);
  await page.context().close();
}
page = await open('about:blank');
await page.setContent('<html lang="en"><title>x</title><main><h1 style="color: #eee; background: #fff">pale</h1><img src="data:,"></main></html>');
same(['color-contrast', 'image-alt'], (await violations(page)).map((v) => v.split(':')[0]), 'the control: axe-core finds what is wrong');
await page.context().close();

// ---- attacks ----
for (const name of pagesOf(hostileFolder)) {
  page = await open(urlOf(hostileFolder, name));
  same([], page.bad, `hostile ${name === 'index.html' ? 'index' : 'page'}: nothing of a submission runs`);
  ok((await page.textContent('body')).includes("<script>alert('x')</script>"), 'it is shown as text');
}
page = await open(index);
await page.evaluate(() => {
  const s = document.createElement('script');
  s.textContent = 'window.ran = true';
  document.body.appendChild(s);
  document.body.insertAdjacentHTML('beforeend', '<img src="x" onerror="window.ran = true"><a id="js" href="javascript:window.ran=true">x</a>');
});
await page.click('#js');
await page.waitForTimeout(100);
same(undefined, await page.evaluate(() => window.ran), 'a script that came into the page would not run: the policy holds');
ok(page.bad.some((b) => b.includes('Content Security Policy')), 'the control: an error of the console is noticed', page.bad.join('\n'));
page = await open('about:blank');
await page.evaluate(() => alert('x'));
same(['dialog: x'], page.bad, 'the control: a dialog is noticed');
await page.setContent('<div style="width:2000px">wide</div>');
ok((await cutText(page)).length > 0, 'the control: a page that is too wide is noticed');

await browser.close();
console.log(`1..${n}`);
process.exit(failed ? 1 : 0);
