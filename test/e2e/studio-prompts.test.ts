/** A prompt recorded in the browser, whose microphone is a generated tone: recorded, cut by keys, heard and saved. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../studio/graph/chromium.ts';
import { accessibilityProblems, browser, studioLink } from './browser.ts';
import { type Service, startService } from './service.ts';

const WORDS = 'Welcome to the bakery.';

describe.skipIf(browser.missing)(`in a browser${browser.why}`, () => {
  let service: Service;
  let started: Browser;
  let page: Page;

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-studio-')),
      address: '127.0.0.81',
      numbers: [],
      flows: {},
    });
    started = await launchBrowser({
      sounds: true,
      args: ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
    });
    page = await (await started.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    await page.goto(studioLink(service));
    await page.getByRole('navigation', { name: 'Studio' }).waitFor();
  });
  afterAll(async () => {
    await started?.close();
    await service?.stop();
  });

  const sliderValue = async (name: string) =>
    Number(await page.getByRole('slider', { name, exact: true }).getAttribute('aria-valuenow'));

  test('records a prompt with level and clock, cuts it by keys, and saves what was heard', async () => {
    await page.goto(`${service.url}/studio/settings/prompts?new=1`);
    const form = page.getByRole('form', { name: 'New prompt' });
    await form.getByLabel('Name').fill('welcome');
    await form.getByLabel('Text').fill(WORDS);
    await form.getByRole('button', { name: 'Record', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Record the prompt' });
    await dialog.getByText(WORDS).waitFor();
    await dialog.getByRole('button', { name: 'Record', exact: true }).click();
    await dialog.getByRole('timer').getByText('0:02').waitFor();
    await dialog.getByText(/Good level|Very quiet|Too loud/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Stop recording' }).click();
    const end = dialog.getByRole('slider', { name: 'End' });
    await end.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await end.focus();
    await page.keyboard.press('Home');
    // The shortest part is left; then half a second more.
    expect(await sliderValue('End')).toBe((await sliderValue('Start')) + 100);
    await page.keyboard.press('PageUp');
    const keptMs = (await sliderValue('End')) - (await sliderValue('Start'));
    expect(keptMs).toBe(600);
    const heard = dialog.getByLabel('The sound as it is cut');
    await expect
      .poll(() => heard.evaluate((audio) => (audio as unknown as { duration: number }).duration))
      .toBeCloseTo(0.6, 1);
    await dialog.getByRole('button', { name: 'Use this sound' }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'sound, 0.6 s' }).waitFor();
  });

  test('cuts a saved sound by dragging a handle', async () => {
    await page.goto(`${service.url}/studio/settings/prompts?name=welcome&language=default`);
    await page.getByRole('button', { name: 'Cut' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cut the sound' });
    const start = dialog.getByRole('slider', { name: 'Start' });
    const box = (await start.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 150, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    const startMs = await sliderValue('Start');
    expect(startMs).toBeGreaterThan(50);
    await dialog.getByRole('button', { name: 'Use this sound' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: `sound, ${((600 - startMs) / 1000).toFixed(1)} s` }).waitFor();
  });
});
