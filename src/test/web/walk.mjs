// An operator's walk through the page of a running controller. Called by scripts/tests/system/test_page.py:
// `node walk.mjs URL CLIENT SERVER SERVER FOLDER` prints a line for each step that is done, and ends with 1 where one fails.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { launch, open } from './browser.mjs';

const [url, client, first, second, folder] = process.argv.slice(2);
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** A rate that is not zero. */
const SOME = '(?!0 )[0-9.]+ /s';
const VIEWS = ['network', 'servers', 'traffic', 'connections', 'catalog', 'why', 'mptcp', 'endhost'];

const done = (step) => console.log(step);

/** For documentation, and to look at: only where somebody wants them. */
async function picture(page, name) {
  if (process.env.MALOB_PICTURES) await page.screenshot({ path: `${process.env.MALOB_PICTURES}/${name}.png` });
}

const toView = (page, name) => page.evaluate((view) => { location.hash = `#/${view}`; }, name);

async function fill(page, values) {
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(values)) {
    const field = dialog.getByLabel(label, { exact: true });
    if (await field.evaluate((node) => node.tagName === 'SELECT')) await field.selectOption(value);
    else await field.fill(value);
  }
  await dialog.getByRole('button', { name: /^Add/ }).click();
}

async function add(page, noun, values) {
  await page.getByRole('button', { name: `Add ${noun}` }).click();
  await fill(page, values);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // then the choices of other forms have it, too
  await page.getByRole('row', { name: new RegExp(`\\b${values.Id}\\b`) }).first().waitFor();
}

/** The network is drawn, and told in words. */
async function seesNetwork(page) {
  await page.getByText(/^Drawing of 5 switches, 8 links/).waitFor({ state: 'attached' });
  await page.locator('#status[data-status=live]').waitFor();
  assert.ok(await page.locator('#graph canvas').count() > 0, 'the drawing');
}

/** A row of the table selects its link, of which the details tell. */
async function seesDetails(page) {
  await page.getByText('The links as a table').click();
  await page.getByRole('row', { name: /^s1 – s/ }).first().click();
  await page.locator('.details dt', { hasText: /^Latency$/ }).first().waitFor();
  await page.getByText('The links as a table').click();
}

/** By keyboard alone: the form opens, what is wrong is said beside its field, Escape gives the focus back. */
async function seesAnError(page) {
  await toView(page, 'catalog');
  await page.getByRole('button', { name: 'Add VIP' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor(); // a person sees the form before typing
  await page.keyboard.type('10.0.0.999');
  await page.keyboard.press('Enter');
  const field = page.getByRole('dialog').getByLabel('Address', { exact: true });
  await page.waitForFunction(() => document.querySelector('dialog [aria-invalid=true]'));
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  await picture(page, 'error');
  const described = (await field.getAttribute('aria-describedby')).split(' ').at(-1);
  assert.match(await page.locator(`[id="${described}"]`).textContent(), /address .*10\.0\.0\.999/);
  assert.ok(await field.evaluate((node) => node === document.activeElement), 'the field has the focus');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Add VIP');
}

/** Follows the link of a problem to a form that knows what it is about. */
async function solves(page, problem, action, values) {
  await page.locator('#problems li', { hasText: problem }).getByRole('link', { name: action }).click();
  await fill(page, values);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** The page says what is missing, and leads to it. */
async function makesAVip(page) {
  await add(page, 'VIP', { Address: '10.0.0.100', Port: '80', Protocol: 'tcp', Id: 'shop', Algorithm: 'RR+SPH' });
  await page.getByRole('row', { name: /shop.*10\.0\.0\.100:80/ }).first().waitFor();
  await page.locator('#problems li', { hasText: 'VIP shop has no pool and rejects its clients.' }).waitFor();
  await picture(page, 'problem');
  await solves(page, 'VIP shop has no pool', 'Add a pool', { Id: 'shops' });
  await solves(page, 'Pool shops of VIP shop has no members', 'Add a member', { Address: first, Port: '80', Id: 'one' });
  await add(page, 'member', { Address: second, Port: '80', Pool: 'shops', Id: 'two' });
  await page.locator('#problems').waitFor({ state: 'hidden' });
}

async function seesTraffic(page) {
  await toView(page, 'servers');
  for (const member of ['one', 'two']) {
    await page.getByRole('row', { name: new RegExp(`^${member} .*Up.* ${SOME}`) }).waitFor();
  }
  await toView(page, 'traffic');
  await page.getByRole('radio', { name: 'algorithm' }).check({ force: true });
  await page.locator('.chart-card').first().getByText(/^RR\+SPH/).waitFor();
  await toView(page, 'network');
  await page.getByLabel('Show paths of').selectOption('shop');
  await page.getByText(/connections? on \d+ request paths?/).waitFor();
  await picture(page, 'network');
}

/** A page that is opened anew has the graphs of the minutes before, and the names of members and VIPs. */
async function seesHistory(page) {
  await toView(page, 'traffic');
  await page.reload();
  await page.waitForFunction(() => {
    const line = document.querySelectorAll('.chart-card')[2]?.querySelector('.line');
    return (line?.getAttribute('d').split('L').length ?? 0) > 5 + performance.now() / 1000;
  });
  await page.locator('.chart-card').first().getByText(/^HTTP/).waitFor();
  await picture(page, 'traffic');
  await toView(page, 'connections');
  await page.getByLabel('State').selectOption('all'); // those that are open end within milliseconds
  await page.getByRole('row', { name: /shop, 10\.0\.0\.100:80 (one|two) / }).first().waitFor();
}

async function asksWhy(page) {
  await page.evaluate((address) => { location.hash = `#/why?vip=shop&client=${address}`; }, client);
  await page.getByRole('heading', { name: / would get server (one|two)$/ }).waitFor();
  await page.getByText(/Algorithm RR\+SPH applies because the VIP sets it/).waitFor();
  await picture(page, 'why');
}

async function drains(page) {
  await toView(page, 'servers');
  await page.getByRole('button', { name: 'Drain two' }).click();
  await page.getByRole('row', { name: /^two .*Draining.* 0 \/s/ }).waitFor();
  await page.getByRole('row', { name: new RegExp(`^one .*Up.* ${SOME}`) }).waitFor();
  await picture(page, 'servers');
}

/** A monitor of a port that nobody listens at takes a server out, and its end brings it back. */
async function seesChecks(page) {
  await toView(page, 'catalog');
  await add(page, 'health monitor', { Id: 'checks', Pool: 'shops', Port: '9', Interval: '1', 'Down after': '1' });
  await toView(page, 'servers');
  await page.getByRole('row', { name: /^one .*Fails health checks/ }).waitFor();
  await page.locator('#problems li', { hasText: /^Member one .* is down: it fails its health checks/ }).waitFor();
  await picture(page, 'failing');
  await toView(page, 'catalog');
  await page.getByRole('button', { name: 'Change pool shops' }).click();
  await picture(page, 'pool');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Delete health monitor checks' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await toView(page, 'servers');
  await page.getByRole('row', { name: /^one .*Up/ }).waitFor();
}

/** What an automatic check can find of what keeps people out, in all views, and with a problem to show. */
async function isForEverybody(browser, operator) {
  await toView(operator, 'catalog');
  await add(operator, 'VIP', { Address: '10.0.0.101', Id: 'spare' });
  const barriers = [];
  for (const [size, scheme] of [['wide', 'light'], ['narrow', 'dark']]) {
    const { page } = await open(browser, url, { size, scheme, bypassCSP: true });
    await page.addScriptTag({ content: AXE });
    await page.locator('#problems').waitFor();
    for (const view of VIEWS) {
      await toView(page, view);
      await page.waitForTimeout(200);
      const { violations } = await page.evaluate(() => globalThis.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }));
      const where = `${view}, ${size}, ${scheme}`;
      barriers.push(...violations.map((each) => `${where}: ${each.id}: ${each.nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join('; ')}`));
      await picture(page, `${view}-${size}-${scheme}`);
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (tooWide > 0) barriers.push(`${where}: ${tooWide} pixels wider than the window`);
    }
    await page.context().close();
  }
  assert.deepEqual(barriers, []);
}

const browser = await launch();
const { page, complaints } = await open(browser, url);
try {
  await seesNetwork(page);
  await seesDetails(page);
  done('network');
  await seesAnError(page);
  done('error');
  await makesAVip(page);
  done('vip');
  await seesTraffic(page);
  done('traffic');
  await seesHistory(page);
  done('history');
  await asksWhy(page);
  done('why');
  await drains(page);
  done('drained');
  await seesChecks(page);
  done('checked');
  await isForEverybody(browser, page);
  done('everybody');
  assert.deepEqual(complaints, [], 'what the browser complained of');
} catch (error) {
  await page.screenshot({ path: `${folder}/page.png` });
  console.error(error);
  process.exitCode = 1;
} finally {
  await browser.close();
}
