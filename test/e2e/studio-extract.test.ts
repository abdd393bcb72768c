/** Steps are extracted as a sub-flow in the studio. In Chromium, against the started service. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const SHOP = `flow: shop
vars: { order: { type: string, default: "" } }
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: Welcome to our shop., next: ask }
  ask:
    collect: { prompt: Your order please., digits: { length: 4 }, no_input: [Please again.], no_match: [Please again.] }
    set: { order: "\${ result.digits }" }
    exits: { collected: say, exhausted: bye }
  # Reads it back.
  say: { play: "It is \${ vars.order }.", next: bye }
  bye: { hangup: normal }
`;
const TEST = `test: an order is read back
flow: shop
script: [{ hear: Your order }, { press: "1234" }]
expect: { path: [hello, ask, say, bye] }
`;

describe.skipIf(browser.missing)(`extraction in a browser${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;
  const inFlows = (file: string): string => join(service.directory, `flows/${file}`);
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const choose = async (...steps: string[]): Promise<void> => {
    for (const [index, step] of steps.entries()) {
      const header = page.locator(`.card[data-step="${step}"] header`);
      await header.click(index === 0 ? {} : { modifiers: ['Shift'] });
    }
  };

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-extract-')),
      address: '127.0.0.226',
      numbers: [{ number: '1000', flow: 'shop' }],
      flows: { 'shop.flow.yaml': SHOP },
    });
    writeFileSync(inFlows('shop.test.yaml'), TEST);
    studio = await openStudio(service);
    page = await studio.another();
    await page.setViewportSize({ width: 1440, height: 900 });
    page.setDefaultTimeout(15_000);
    await page.goto(`${service.url}/studio/flows/shop`);
    await page.locator('.card').first().waitFor();
    await page.getByRole('tab', { name: 'Form' }).click();
  }, 90_000);
  afterEach(() => expect(studio.problems.splice(0)).toEqual([]));
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('offers the steps that are missing, proves the new flow by its tests, and changes them on save', async () => {
    await choose('hello', 'say');
    await page.getByRole('button', { name: 'Extract as a sub-flow' }).click();
    const dialog = page.getByRole('dialog', { name: 'Extract as a sub-flow' });
    await dialog.getByText('There are 2 ways in: hello, say').waitFor();
    expect(await dialog.getByRole('button', { name: 'Extract', exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Take 1 more: ask' }).click();
    await dialog.getByText('One way in, one way on').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await choose('ask', 'say');
    await page.getByRole('button', { name: 'Extract as a sub-flow' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('order');
    await dialog.getByText('1 of 1 tests pass as before').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/extract.png` });
    if (process.env['SHOTS']) {
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.screenshot({ path: `${process.env['SHOTS']}/extract-dark.png` });
      await page.emulateMedia({ colorScheme: 'light' });
    }
    await dialog.getByRole('button', { name: 'Extract', exact: true }).click();
    await eventually(() => page.locator('.card[data-step="order"]').count()).toBe(1);
    await eventually(() => page.locator('.card[data-step="ask"]').count()).toBe(0);
    await page.keyboard.press('Control+s');
    await eventually(() => readFileSync(inFlows('shop.test.yaml'), 'utf8')).toContain(
      'path: [hello, order, shop/order/ask, shop/order/say, shop/order/to_bye, bye]',
    );
    expect(readFileSync(inFlows('shop.flow.yaml'), 'utf8')).toContain('      # Reads it back.\n      say:');
  });

  test('puts the steps of a sub-flow back, with one undo, and says why it cannot', async () => {
    const order = page.locator('.card[data-step="order"]');
    const say = page.locator('.card[data-step="say"]');
    await order.locator('header').click();
    await page.getByRole('button', { name: 'Put its steps here' }).waitFor();
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/inline.png` });
    await page.getByRole('button', { name: 'Put its steps here' }).click();
    await eventually(() => say.count()).toBe(1);
    expect(await order.count()).toBe(0);
    await page.locator('.card[data-step="say"] header').click();
    expect(await page.getByRole('button', { name: 'Put its steps here' }).count()).toBe(0);
    await page.locator('.canvas, [role="application"]').first().focus();
    await page.keyboard.press('Control+z');
    await eventually(() => order.count()).toBe(1);
    expect(await say.count()).toBe(0);

    await page.locator('.card[data-step="hello"] header').click();
    await page.keyboard.press('Control+k');
    await page.locator('.palette input:focus').waitFor();
    await page.keyboard.insertText('Put the steps of the sub-flow');
    await page.getByRole('option', { selected: true }).filter({ hasText: 'Put the steps' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('hello does not run a flow').first().waitFor();
  });
});
