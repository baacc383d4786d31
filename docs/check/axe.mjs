// axe.mjs PAGE.html... FIGURE.svg...: no text of a figure is outside of its drawing; axe-core finds no violation on the pages, light at 390 px and, as far as colours go, dark at 1280 px; no line of code is wider than its
// column, and nothing makes a page wider than its window. One browser sees them all. Of files with the same bytes (the site's slides are the handouts') one is looked at.
// playwright-core and axe-core are those of the report's test; CHROMIUM is the browser.
// Prints "page: what" for each fault; exit status 1 when there is one.
import { createRequire } from 'node:module';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(new URL('../../grader/report/test/browser/', import.meta.url));
const { chromium } = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
let faults = 0;
const fault = (page, what) => { faults++; console.log(`${page}: ${what}`); };

// What does not fit, in the page that is shown.
const misfits = () => {
  const out = [];
  if (document.documentElement.scrollWidth > innerWidth) out.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const pre of document.querySelectorAll('pre')) {
    if (pre.scrollWidth > pre.clientWidth + 1) out.push(`code is wider than its column: ${pre.textContent.slice(0, 40)}`);
  }
  return out;
};

// Texts of a figure that its edges cut.
const cutTexts = () => {
  const svg = document.documentElement;
  const { x, y, width, height } = svg.viewBox.baseVal;
  const screen = svg.getScreenCTM().inverse();
  return [...svg.querySelectorAll('text')].filter((text) => {
    const box = text.getBoundingClientRect();
    const from = new DOMPoint(box.left, box.top).matrixTransform(screen);
    const to = new DOMPoint(box.right, box.bottom).matrixTransform(screen);
    return from.x < x - 1 || to.x > x + width + 1 || from.y < y - 2 || to.y > y + height + 2;
  }).map((text) => text.textContent.slice(0, 60));
};

const seen = new Set();
let drawing; // a page that all figures share
for (const name of process.argv.slice(2)) {
  const bytes = createHash('sha256').update(readFileSync(name)).digest('hex');
  if (seen.has(bytes)) continue;
  seen.add(bytes);
  if (name.endsWith('.svg')) {
    drawing ??= await browser.newPage();
    await drawing.goto(pathToFileURL(resolve(name)).href);
    for (const what of await drawing.evaluate(cutTexts)) fault(name, `its edge cuts "${what}"`);
    continue;
  }
  for (const [width, colorScheme, rules] of [[390, 'light', {}], [1280, 'dark', { runOnly: ['color-contrast'] }]]) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
    const page = await context.newPage();
    await page.goto(pathToFileURL(resolve(name)).href);
    await page.evaluate(axe);
    const { violations } = await page.evaluate((options) => axe.run(document, { resultTypes: ['violations'], ...options }), rules);
    for (const v of violations) fault(name, `${width} px, ${colorScheme}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 100)).slice(0, 3).join(' | ')}`);
    for (const what of await page.evaluate(misfits)) fault(name, `${width} px: ${what}`);
    await context.close();
  }
}
await browser.close();
process.exit(faults ? 1 : 0);
