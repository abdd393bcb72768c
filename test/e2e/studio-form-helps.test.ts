/** Helps of the form in Chromium: the trial of a request, and the search for a property. */

import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const SHOP = `flow: shop
defaults: { exits: { error: bye } }
vars: { kind: { type: string, default: bread } }
start: ask
steps:
  ask:
    request: { get: "https://bakery.example/" }
    exits: { ok: bye, not_found: bye, failed: bye }
  bye: { hangup: normal }
  desk: { bridge: { to: "sip:ann@example.com" }, exits: { completed: bye, failed: bye } }
`;

describe.skipIf(browser.missing)(`helps of the form${browser.why}`, { timeout: 90_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;

  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const form = (): Locator => page.locator('.form-pane');
  const field = (name: string): Locator => form().locator(`[data-field="${name}"]`);

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-form-helps-')),
      address: '127.0.0.150',
      numbers: [],
      flows: { 'shop.flow.yaml': SHOP },
    });
    studio = await openStudio(service, { width: 1440, height: 900, column: 'form' });
    ({ page } = studio);
    page.setDefaultTimeout(15_000);
  }, 90_000);
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('finds a property by its name, also a folded one', async () => {
    await page.goto(`${service.url}/studio/flows/shop?step=ask`);
    await form().locator('.form-head').waitFor();
    await form()
      .getByRole('button', { name: /^Try it/ })
      .focus();
    await page.keyboard.press('/');
    await page.keyboard.type('visits');
    await page.keyboard.press('Enter');
    await eventually(() => field('max_visits').locator(':focus').count()).toBe(1);
    expect(await page.getByRole('searchbox', { name: 'Find a property of the step' }).count()).toBe(0);
  });

  test('proposes the parties that the flow and the service know', async () => {
    await page.goto(`${service.url}/studio/flows/shop?step=desk`);
    const status = await page.evaluate(async () => {
      const headers = { 'content-type': 'application/json', 'x-callweave-studio': '1' };
      const body = JSON.stringify({ password: 'a-long-password-4711' });
      return (await fetch('/admin/v1/users/bea', { method: 'PUT', headers, body })).status;
    });
    expect(status).toBeLessThan(300);
    const to = field('bridge.to').locator('input').first();
    await to.focus();
    const proposed = () =>
      field('bridge.to')
        .locator('option')
        .evaluateAll((all) => all.map((one) => one.getAttribute('value')));
    await expect.poll(proposed).toEqual(['sip:ann@example.com', 'user:bea']);
  });

  test('tries the request of a step, remembers a value of its answer, and expects its shape', async () => {
    const bakery = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ asked: request.url, left: 7, cakes: [{ name: 'plum' }] }));
    });
    await new Promise<void>((resolve) => bakery.listen(0, '127.0.0.1', resolve));
    const at = `http://127.0.0.1:${(bakery.address() as AddressInfo).port}`;
    const shop = join(service.directory, 'flows/shop.flow.yaml');
    try {
      await page.goto(`${service.url}/studio/flows/shop?step=ask`);
      await form().getByRole('textbox', { name: 'Address', exact: true }).fill(`${at}/bread/\${ vars.kind }`);
      await form()
        .getByRole('button', { name: /^Try it/ })
        .click();
      await form().getByLabel('Example for vars.kind').fill('rye bread');
      await form().getByText(`GET ${at}/bread/rye%20bread`).waitFor();
      await form().getByRole('button', { name: 'Send', exact: true }).click();
      await form().getByText('Answered 200').waitFor();
      const values = form().getByRole('list', { name: 'Values of the answer' });
      await values.getByRole('listitem').filter({ hasText: 'left' }).getByRole('button', { name: 'Remember' }).click();
      await form().getByRole('button', { name: 'Expect this shape' }).click();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.locator('.actions .primary:enabled').click();
      const written = (): object => parse(readFileSync(shop, 'utf8'));
      await eventually(written).toMatchObject({
        vars: { left: { type: 'number' } },
        steps: { ask: { set: { left: '${ result.body.left }' }, request: { returns: { properties: { left: {} } } } } },
      });
      expect(await values.getByRole('button', { name: 'Remembered' }).count()).toBe(1);
    } finally {
      bakery.close();
    }
  });
});
