// A real browser, the distribution's.

import { chromium } from 'playwright-core';

const PROGRAM = process.env.MALOB_CHROMIUM ?? '/usr/bin/chromium';

export const SIZES = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } };

/** Starts it; root cannot have its sandbox. */
export function launch() {
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** A page of its own. What it complains of, and what the policy forbids, is collected in `complaints`. */
export async function open(browser, url, { size = 'wide', scheme = 'light', ...more } = {}) {
  const context = await browser.newContext({ viewport: SIZES[size], colorScheme: scheme, ...more });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints = [];
  page.on('console', (message) => {
    // answers of 4xx are asked for by the tests, and are no fault of the page
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack));
  await page.goto(url);
  return { page, complaints };
}
