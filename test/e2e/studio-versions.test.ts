/** Versions of a flow, in a real browser and by keyboard alone: what a save changed, as a drawing and as text. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOW =
  'flow: greet\ndefaults: { exits: { error: bye } }\nstart: hello\nsteps:\n  hello: { play: Good day., next: bye }\n  bye: { hangup: normal }\n';
const LATER = FLOW.replace('next: bye', 'next: more').replace(
  '  bye:',
  '  more: { play: One more thing., next: bye }\n  bye:',
);

describe.skipIf(browser.missing)(`the versions of a flow in a browser${browser.why}`, () => {
  let service: Service;
  let studio: Studio;

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-studio-')),
      address: '127.0.0.62',
      numbers: [{ number: '7000', flow: 'greet' }],
      flows: { 'greet.flow.yaml': FLOW },
    });
    studio = await openStudio(service);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('are one at the beginning', async () => {
    await studio.open('/flows/greet/versions');
    await studio.page.getByText('There is one version so far').waitFor();
  });

  test('are two after a save, in one drawing', async () => {
    const { page } = studio;
    expect(await page.evaluate(saved, LATER)).toBe(200);
    await studio.open('/flows/greet/versions');
    await page.getByText('1 step added, 1 changed, 1 way changed').waitFor();
    expect(await page.getByRole('radio').count()).toBe(4);
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    await page.locator('button[aria-current=true]', { hasText: 'more' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('are led to from the list of changes, by keys alone', async () => {
    const { page } = studio;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Find/ }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('changes');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Changes' }).waitFor();
    await page.getByRole('cell', { name: 'saved the flow greet' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('1 step added, 1 changed, 1 way changed').waitFor();
    expect(new URL(page.url()).search).toMatch(/^\?before=[0-9a-f]{64}&after=[0-9a-f]{64}$/);
    await studio.open('/flows/greet/versions');
    await page.getByRole('application').waitFor();
  });

  test('stand side by side as text', async () => {
    const { page } = studio;
    await page.keyboard.press('t');
    const both = page.getByRole('region', { name: /, beside: / });
    await both.getByText('One more thing.').waitFor();
    expect(new URL(page.url()).search).toBe('?view=text');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('t');
    await page.getByRole('application').waitFor();
  });

  test('change sides by the keyboard, and the address says so', async () => {
    const { page } = studio;
    await page.getByRole('radio').nth(3).focus();
    await page.keyboard.press('Space');
    await page.waitForURL(/after=/);
    await page.getByText('1 step removed, 1 changed, 1 way changed').waitFor();
  });

  test('can be asked what calls would do', async () => {
    const { page } = studio;
    await page.keyboard.press('y');
    await page.getByText('No calls to replay yet', { exact: true }).first().waitFor();
    expect(studio.problems).toEqual([]);
  });
});

/** In the page: saves the flow as the editor does. */
async function saved(text: string): Promise<number> {
  const path = '/admin/v1/flows/greet';
  const headers = { 'x-callweave-studio': '1', 'content-type': 'application/json' };
  const etag = (await fetch(path, { headers })).headers.get('etag') ?? '';
  const body = JSON.stringify({ text });
  return (await fetch(path, { method: 'PUT', headers: { ...headers, 'if-match': etag }, body })).status;
}
