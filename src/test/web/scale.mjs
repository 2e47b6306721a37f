// What the page costs a browser with a network that is made up: `node scale.mjs [switches] [members] [seconds]`.
// For each view, the processor time of its main thread for one second of updates, and tasks longer than 50 ms. Measured by
// hand, not by the tests: it depends on the machine.

import { launch, open } from './browser.mjs';
import { serve } from './made-up.mjs';

const [switches, members, seconds] = ['100', '1000', '10'].map((value, i) => Number(process.argv[i + 2] ?? value));
const VIEWS = ['network', 'servers', 'traffic', 'connections', 'catalog'];

const controller = await serve(switches, members);
const browser = await launch();
const { page, complaints } = await open(browser, controller.url);
const devtools = await page.context().newCDPSession(page);
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
await page.evaluate(() => {
  globalThis.long = [];
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => globalThis.long.push(Math.round(entry.duration)))).observe({ entryTypes: ['longtask'] });
});

async function used() {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

console.log(`${switches} switches, ${members} members; milliseconds of processor for each second of updates`);
for (const view of VIEWS) {
  await page.evaluate((name) => { location.hash = `#/${name}`; }, view);
  await page.waitForTimeout(3000);
  await page.evaluate(() => { globalThis.long.length = 0; });
  const before = await used();
  await page.waitForTimeout(seconds * 1000);
  const after = await used();
  const of = (name) => ((1000 * (after[name] - before[name])) / seconds).toFixed(1);
  const long = await page.evaluate(() => globalThis.long);
  console.log(`${view.padEnd(12)} all ${of('TaskDuration')}, script ${of('ScriptDuration')}, layout ${of('LayoutDuration')}, style ${of('RecalcStyleDuration')};`
    + ` ${after.Nodes} nodes, ${(after.JSHeapUsedSize / 1e6).toFixed(0)} MB; tasks longer than 50 ms: ${long.length ? long.join(', ') : 'none'}`);
}
for (const complaint of complaints) console.log(complaint);
await browser.close();
controller.close();
