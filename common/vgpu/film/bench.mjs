// How fast a film of 100,000 steps follows the slider, in headless Chromium: the median of five rounds, the slowest and the fastest; exit status 1 below
// 30 frames a second.
//
//   node bench.mjs MODULES FILM.html      MODULES: where playwright-core is
//
// The film's steps are repeated until there are so many; then the slider goes to places all over them, and each time all is drawn.
import { createRequire } from 'node:module';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const STEPS = 100000, MOVES = 100, ROUNDS = 5, WANTED = 30;
const [modules, film] = process.argv.slice(2);
const { chromium } = createRequire(pathToFileURL(join(resolve(modules), 'bench.mjs')))('playwright-core');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })).newPage();
await page.goto(pathToFileURL(resolve(film)).href);
const times = await page.evaluate(`(() => {
  const b = film.blocks[0], own = b.steps;
  while (b.steps.length < ${STEPS}) b.steps = b.steps.concat(own);
  b.steps.length = ${STEPS};
  indexes.clear();
  writers.clear();
  waitLists.clear();
  const opening = performance.now();
  setBlock(0, 0);
  const times = [performance.now() - opening];
  for (let i = 1; i <= ${MOVES * ROUNDS}; i++) {
    const begin = performance.now();
    show(i * 7919 * 31 % ${STEPS});
    document.body.offsetHeight;
    times.push(performance.now() - begin);
  }
  return times;
})()`);
await browser.close();
const rateOf = (list) => 1000 * list.length / list.reduce((a, b) => a + b);
const moves = times.slice(1), rates = Array.from({ length: ROUNDS }, (_, i) => rateOf(moves.slice(i * MOVES, (i + 1) * MOVES))).sort((a, b) => a - b);
const median = rates[ROUNDS >> 1], slow = [...moves].sort((a, b) => a - b)[Math.floor(moves.length * .9)];
console.log(`${STEPS} steps: opened in ${times[0].toFixed(0)} ms; ${median.toFixed(0)} frames a second (${rates[0].toFixed(0)} to ${rates[ROUNDS - 1].toFixed(0)} in ${ROUNDS} rounds of ${MOVES}), ` +
  `the slowest tenth of all in ${slow.toFixed(1)} ms and more; load ${loadavg()[0].toFixed(1)}`);
process.exit(median >= WANTED ? 0 : 1);
