// `grade review` in headless Chromium: TAP on standard output.
//
//   node review.mjs URL LAB      the address that it printed; s001 to s003 have handed in, s002 an attack
import { chromium } from 'playwright-core';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [address, lab] = process.argv.slice(2);
const base = new URL(address).origin;
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
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
const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
const bad = [];
async function open(url) {
  const page = await context.newPage();
  page.on('console', (m) => { if (m.type() === 'error' && !m.text().includes('status of 4')) bad.push(`console: ${m.text()}`); });
  page.on('pageerror', (e) => bad.push(`error: ${e}`));
  page.on('dialog', (d) => { bad.push(`dialog: ${d.message()}`); d.dismiss(); });
  page.on('request', (r) => { if (!r.url().startsWith(base)) bad.push(`request: ${r.url()}`); });
  await page.goto(url);
  return page;
}
const urlOf = (student) => `${base}/s?student=${student}&lab=${lab}`;
const send = async (page, act) => { const done = page.waitForNavigation(); await act(); await done; };
const points = (page) => page.textContent('#points-now');

// ---- the walls ----
let page = await open(urlOf('s001'));
ok((await page.textContent('body')).includes('it holds the key'), 'without the token there is nothing to see');
await page.goto(address);
same('The class', await page.textContent('h1'), 'the token opens it');
same(`${base}/`, page.url(), 'and does not stay in the address');
const cookie = (await context.cookies())[0];
same(['Strict', true], [cookie.sameSite, cookie.httpOnly], 'it is a cookie that no script and no other site gets');

// ---- a person at work, by keys ----
await page.goto(urlOf('s001'));
await page.keyboard.press('c');
await page.keyboard.type('A clear kernel.');
await send(page, () => page.keyboard.press('Control+Enter'));
ok((await page.textContent('#log')).includes('A clear kernel.'), 'c, a text, Ctrl+Enter: a comment');
await page.click('#L-1-3 td.num');
same(['3', 'vector_add.cu'], [await page.inputValue('#line'), await page.inputValue('#file')], 'a click on a number chooses the line');
await page.keyboard.type('Why here?');
await send(page, () => page.click('#send-comment'));
same('comment Why here?', (await page.textContent('#L-1-3 + tr.said')).trim(), 'the comment stands below its line');
const before = await points(page);
await page.keyboard.press('a');
await page.keyboard.type('1');
await page.fill('#why', 'shown at the board');
await send(page, () => page.click('#send-points'));
ok((await points(page)) !== before, 'points are adjusted with a reason', `${before} ${await points(page)}`);
await send(page, () => page.keyboard.press('u'));
same(before, await points(page), 'u takes the last change back');
await page.keyboard.press('r');
await page.keyboard.type('No error checks');
await page.fill('#item-points', '-0.5');
await send(page, () => page.click('#send-item'));
ok((await page.textContent('#rubric')).includes('-0.5 No error checks'), 'an item of the rubric');
await send(page, () => page.keyboard.press('n'));
ok((await page.textContent('#rubric')).includes('No error checks'), 'n: the next student, the same rubric');
await send(page, () => page.keyboard.press('1'));
ok((await page.textContent('#log')).includes('No error checks'), '1 applies it');
await send(page, () => page.keyboard.press('p'));
ok(page.url().includes('s001'), 'p: the student before');

// ---- a hostile source ----
await page.goto(urlOf('s002'));
ok((await page.textContent('.source')).includes("<script>alert('x')</script>"), 'a hostile source is shown as text');
ok((await page.textContent('h1')).includes('<img src=x'), 'a hostile name, too');
same([], bad, 'nothing of it runs, and nothing is fetched from elsewhere');

// ---- two windows ----
const first = await open(urlOf('s003'));
const second = await open(urlOf('s003'));
for (const window of [first, second]) {
  await window.fill('#adjust-points', '2');
  await window.fill('#why', 'bonus');
}
await send(first, () => first.click('#send-points'));
const after = await points(first);
await send(second, () => second.click('#send-points'));
ok((await second.textContent('#said')).includes('Points were changed'), 'of two windows the second is told what the first did');
same(after, await points(second), 'and has written nothing');
await second.fill('#adjust-points', 'many');
await second.fill('#why', 'x');
await send(second, () => second.click('#send-points'));
ok((await second.textContent('#said')).includes('a number'), 'what is no number is refused with a sentence');

// ---- another site in the same browser ----
const log = await first.locator('#log li').count();
const form = { act: 'comment', student: 's003', lab, seen: '0', text: 'FORGED' };
const inputs = Object.entries(form).map(([k, v]) => `<input name="${k}" value="${v}">`).join('');
const evil = createServer((q, r) => {
  r.setHeader('Content-Type', 'text/html');
  r.end(`<form id="f" method="post" action="${base}/act">${inputs}</form><iframe id="frame" src="${base}/"></iframe>`);
}).listen(0, '127.0.0.1');
await new Promise((done) => evil.once('listening', done));
const other = await context.newPage();
await other.goto(`http://127.0.0.1:${evil.address().port}/`);
const fetched = await other.evaluate(async (b) => {
  try { await fetch(`${b}/`, { credentials: 'include' }); return 'read'; } catch { return 'refused'; }
}, base);
same('refused', fetched, 'another origin cannot read');
await send(other, () => other.evaluate(() => document.getElementById('f').submit()));
ok((await other.textContent('body')).includes('pages of this server only'), 'nor write, though it is the same site');
await other.goto(`http://127.0.0.1:${evil.address().port}/`);
same(0, await other.frameLocator('#frame').locator('#class-table').count(), 'nor frame');
evil.close();
await first.goto(urlOf('s003'));
same(log, await first.locator('#log li').count(), 'the log is as it was');

// ---- for everybody ----
bad.length = 0;
for (const [name, url] of [['class', `${base}/`], ['submission', urlOf('s002')], ['case', `${base}/case?lab=${lab}&case=one-block`], ['refusal', `${base}/none`]]) {
  for (const colorScheme of ['light', 'dark']) {
    const p = await browser.newPage({ colorScheme, viewport: { width: 360, height: 800 }, bypassCSP: true, storageState: await context.storageState() });
    await p.goto(url);
    await p.evaluate(axeSource);
    const found = await p.evaluate(() => axe.run());
    same([], found.violations.map((v) => `${v.id}: ${v.nodes.map((x) => x.html.slice(0, 90)).join(' | ').slice(0, 300)}`), `axe-core: ${name}, ${colorScheme}`);
    ok(await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}, ${colorScheme}: fits 360 pixels`);
    await p.close();
  }
}
page = await browser.newPage({ javaScriptEnabled: false, storageState: await context.storageState() });
await page.goto(urlOf('s001'));
await page.fill('#text', 'Without scripts.');
await send(page, () => page.click('#send-comment'));
ok((await page.textContent('#log')).includes('Without scripts.'), 'it works without scripts');
page = await open('about:blank');
await page.setContent('<img><input>');
await page.evaluate(axeSource);
ok((await page.evaluate(() => axe.run())).violations.length > 0, 'the control: axe-core finds what is wrong');

await browser.close();
console.log(`1..${n}`);
process.exit(failed ? 1 : 0);
