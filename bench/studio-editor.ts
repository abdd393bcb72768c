/**
 * The flow editor of the studio in Chromium, from a started service: a key typed in the text, a card selected until its
 * form is there, and the first screens over a slow connection. Each value is printed beside its limit as its peer. CPU
 * is that of the page's main thread.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { openStudio, type Studio, studioLink } from '../test/e2e/browser.ts';
import { type Service, startService } from '../test/e2e/service.ts';
import { launchBrowser, noBrowser } from '../test/studio/graph/chromium.ts';
import { companyFlow } from '../test/studio/graph/company-flow.ts';
import { median, report } from './figure.ts';

/** CPU of a key, in ms, by number of steps. */
const KEY_LIMITS = { 130: 16, 500: 50 };
const FORM_LIMIT_MS = 50;
const FIRST_SCREEN_LIMIT_MS = 2000;
const KEYS = 15;
const FORMS = 11;
/** Time after which a key has no more effects: the check of the text is over. */
const QUIET_MS = 700;
const SLOW = { offline: false, latency: 40, downloadThroughput: 50 * 1024, uploadThroughput: 50 * 1024 };

async function cpuOf(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000;
}

async function watched(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  return cdp;
}

async function openFlow({ page, open }: Studio, size: number): Promise<void> {
  await open(`/flows/company-${size}`);
  await page.locator('.card').first().waitFor();
  await page.waitForTimeout(QUIET_MS * 2);
}

/** CPU until the key is drawn, and until its check is over. */
async function measureKeys(studio: Studio, size: number): Promise<void> {
  const { page } = studio;
  await openFlow(studio, size);
  const cdp = await watched(page);
  await page.locator('.text-editor .cm-content').focus();
  // Behind the words of a prompt.
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('Welcome to the company');
  for (const key of ['Enter', 'Escape', 'ArrowRight']) await page.keyboard.press(key);
  await page.waitForTimeout(QUIET_MS);
  const keys: number[] = [];
  const withCheck: number[] = [];
  for (let key = 0; key < KEYS; key++) {
    const began = await cpuOf(cdp);
    await page.keyboard.press('x');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    keys.push((await cpuOf(cdp)) - began);
    await page.waitForTimeout(QUIET_MS);
    withCheck.push((await cpuOf(cdp)) - began);
  }
  report(`studio.key.${size}`, median(keys), 'ms of CPU', KEY_LIMITS[size as keyof typeof KEY_LIMITS]);
  report(`studio.key.${size}.with-check`, median(withCheck), 'ms of CPU');
}

async function measureForms(studio: Studio): Promise<void> {
  const { page } = studio;
  await openFlow(studio, 130);
  await page.keyboard.press('Control+.');
  await page.locator('.card').first().click();
  await page.getByLabel('Name of the step').waitFor();
  const times = (await page.evaluate(`(async () => {
    const times = [];
    const steps = ['welcome', 'main_1', 'hours', 'closed'];
    for (let index = 0; index < ${FORMS}; index++) {
      const step = steps[index % steps.length];
      const card = [...document.querySelectorAll('.card')].find((each) => each.dataset.step === step);
      const began = performance.now();
      card.click();
      const isThere = () => document.querySelector('.form-pane [aria-label="Name of the step"]')?.value === step;
      while (!isThere()) await new Promise((done) => setTimeout(done));
      times.push(performance.now() - began);
      await new Promise((done) => setTimeout(done, 400));
    }
    return times;
  })()`)) as number[];
  report('studio.form', median(times), 'ms', FORM_LIMIT_MS);
}

/** Times over a slow connection with an empty cache, from the request to what can be used. */
async function measureFirstScreens(service: Service): Promise<void> {
  for (const [name, path, wanted] of [
    ['list', '/flows', '.flow-list tbody tr, .flow-list li'],
    ['editor', '/flows/company-130', '.card'],
  ] as const) {
    const browser = await launchBrowser();
    try {
      const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
      await page.goto(studioLink(service));
      await page.locator('nav.rail').waitFor();
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('Network.enable');
      await cdp.send('Network.clearBrowserCache');
      await cdp.send('Network.emulateNetworkConditions', SLOW);
      let bytes = 0;
      cdp.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      const began = performance.now();
      await page.goto(`${service.url}/studio${path}`, { waitUntil: 'commit' });
      await page.locator('nav.rail').waitFor();
      const frame = performance.now() - began;
      await page.locator(wanted).first().waitFor({ timeout: 60_000 });
      report(`studio.slow.${name}.frame`, frame, 'ms at 50 kB/s', FIRST_SCREEN_LIMIT_MS);
      report(`studio.slow.${name}`, performance.now() - began, 'ms at 50 kB/s');
      report(`studio.slow.${name}.bytes`, bytes / 1024, 'KB received');
    } finally {
      await browser.close();
    }
  }
}

if (noBrowser !== undefined) {
  process.stderr.write(`${noBrowser}\n`);
} else {
  const directory = mkdtempSync(join(tmpdir(), 'studio-editor-'));
  const service = await startService({
    directory,
    address: '127.0.0.190',
    numbers: [],
    flows: Object.fromEntries([10, 130, 500].map((size) => [`company-${size}.flow.yaml`, companyFlow(size)])),
  });
  try {
    const studio = await openStudio(service, { width: 1440, height: 900 });
    try {
      for (const size of [10, 130, 500]) await measureKeys(studio, size);
      await measureForms(studio);
    } finally {
      await studio.close();
    }
    if (!process.argv.includes('--warm')) await measureFirstScreens(service);
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
