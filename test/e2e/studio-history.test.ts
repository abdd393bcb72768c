/** The history of a step in Chromium, against the started service: numbered versions, struck words, taking one back. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOW = `flow: shop
defaults: { exits: { error: end } }
start: hello
steps:
  hello: { play: Welcome to the shop., next: end }
  end: { hangup: normal }
`;

describe.skipIf(browser.missing)(`history of a step${browser.why}`, { timeout: 90_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;

  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const saved = (): string => readFileSync(join(service.directory, 'flows', 'shop.flow.yaml'), 'utf8');
  const save = async (): Promise<void> => {
    await page.locator('.actions .primary:enabled').waitFor();
    await page.keyboard.press('Control+s');
    await page.locator('.actions .primary:disabled').waitFor();
  };
  const openHistory = async () => {
    await page.getByRole('button', { name: 'Actions for this step' }).click();
    await page.getByRole('button', { name: 'History of this step …' }).click();
    return page.getByRole('dialog', { name: /^History of/ });
  };
  /** Takes screenshots if a directory for them is set. */
  const picture = async (): Promise<void> => {
    const directory = process.env['CALLWEAVE_PICTURES'];
    if (directory === undefined) return;
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(directory, `step-history-${colorScheme}.png`) });
    }
  };

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-history-')),
      address: '127.0.0.141',
      numbers: [],
      flows: { 'shop.flow.yaml': FLOW },
    });
    studio = await openStudio(service, { width: 1440, height: 900, column: 'form' });
    page = await studio.another();
    page.setDefaultTimeout(15_000);
  }, 90_000);
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('lists the changes with old words struck through, follows a rename, and takes one back', async () => {
    await page.goto(`${service.url}/studio/flows/shop?step=hello`);
    const words = page.locator('.form-pane [data-field="play.prompt"]').getByRole('textbox').first();
    await words.fill('Good morning.');
    await save();
    const name = page.locator('.form-head h2 input');
    await name.fill('greet');
    await page.keyboard.press('Enter');
    await save();
    const dialog = await openHistory();
    const changes = dialog.getByRole('listitem');
    await changes.nth(2).waitFor();
    expect(await changes.count()).toBe(3);
    expect(await changes.nth(0).textContent()).toMatch(/^Version 3.*renamed from hello/);
    expect(await changes.nth(1).locator('del').textContent()).toBe('Welcome to the shop');
    expect(await changes.nth(1).locator('ins').textContent()).toBe('Good morning');
    expect(await changes.nth(2).textContent()).toContain('oldest version that is kept');
    expect(await accessibilityProblems(page)).toEqual([]);
    await picture();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Actions for this step' }).press('Enter');
    await page.getByRole('button', { name: 'History of this step …' }).press('Enter');
    await dialog.getByRole('button', { name: 'Take this back: version 2' }).press('Enter');
    await page.locator('.card', { hasText: 'Welcome to the shop.' }).waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('.card', { hasText: 'Good morning.' }).waitFor();
    await page.keyboard.press('Control+y');
    await page.locator('.card', { hasText: 'Welcome to the shop.' }).waitFor();
    await save();
    await eventually(saved).toBe(FLOW.replaceAll('hello', 'greet'));
    await page.goto(`${service.url}/studio/flows/shop/versions`);
    await page.getByRole('button', { name: /Version 3/ }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
