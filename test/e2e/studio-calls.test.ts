/** Real calls in a real browser: counted while they go on, found, acted on, and looked at moment by moment. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../programs.ts';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';
import { startSipp } from './sipp.ts';

const ADDRESS = '127.0.0.62';
const CALLER_ADDRESS = '127.0.0.63';
const CALLS = 20;
/** A caller that presses 1 after 2.3 seconds, and waits for the end of the call. */
const SCENARIO = join(import.meta.dirname, '../../bench/scenarios/ivr.xml');
/** Everybody who presses 1 waits for some seconds in one step. */
const FLOW = `flow: shop
defaults: { exits: { error: bye } }
vars:
  choice: { type: string }
start: ask
steps:
  ask:
    menu:
      prompt: For your orders, press 1.
      choices: { orders: { dtmf: "1" } }
      attempts: 1
      start_timeout: 6s
    exits: { orders: note, exhausted: bye }
  note: { set: { choice: orders }, next: wait }
  wait: { pause: 5s, next: thanks }
  thanks: { play: Thank you., next: bye }
  bye: { hangup: normal }
`;

const sipp = program('sipp');
const missing = [browser, sipp].find((each) => each.missing);

describe.skipIf(missing !== undefined)(`calls in a browser${missing?.why ?? ''}`, () => {
  let service: Service;
  let studio: Studio;

  const call = (calls: number, rate = 10) =>
    startSipp({
      scenario: SCENARIO,
      target: service.sip,
      address: CALLER_ADDRESS,
      number: '1000',
      calls,
      rate,
    });
  const moment = () => studio.page.getByRole('slider', { name: 'Moment of the call' });
  const momentText = () => moment().getAttribute('aria-valuetext');

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-calls-')),
      address: ADDRESS,
      sip: { allow_sip_uris: [CALLER_ADDRESS] },
      numbers: [{ number: '1000', flow: 'shop' }],
      flows: { 'shop.flow.yaml': FLOW },
    });
    studio = await openStudio(service);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('are counted in their steps while they go on, and gone when they end', async () => {
    const { page } = studio;
    await studio.open('/flows/shop/live');
    await page.getByText('Nobody calls now.').waitFor();
    const run = await call(CALLS);
    // All have pressed and none has ended.
    await page.locator('[data-step="wait"] .live', { hasText: new RegExp(`^${CALLS}$`) }).waitFor();
    expect(await page.getByRole('option').count()).toBe(CALLS);
    expect(await accessibilityProblems(page)).toEqual([]);
    const { successful } = await run.ended;
    expect(successful).toBe(CALLS);
    await page.getByText('Nobody calls now.').waitFor();
    expect(await page.locator('.badge-corner.live').count()).toBe(0);
  });

  test('are found by what one types, by keyboard alone', async () => {
    const { page } = studio;
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page
      .getByRole('option')
      .nth(CALLS - 1)
      .waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('for>1h is:ended');
    await page.getByText('No call is like that.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('flow:shop fro:1');
    await page.getByRole('alert').filter({ hasText: 'there is no fro' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('cause:normal for<30s');
    await expect.poll(() => page.getByRole('option').first().getAttribute('aria-setsize')).toBe(String(CALLS));
    expect(new URL(page.url()).searchParams.get('q')).toBe('cause:normal for<30s');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await moment().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/studio\/calls\/[0-9a-f-]{36}$/);
  });

  test('are seen at each of their moments by keys: the way, the words and the variables of that moment', async () => {
    const { page } = studio;
    const card = (name: string) => page.locator(`[data-step="${name}"]`);
    const isNow = (name: string) => page.locator(`[data-step="${name}"].now`).waitFor();
    await isNow('bye');
    await page.keyboard.press('Home');
    await expect.poll(momentText).toContain('0:00.0');
    await page.keyboard.press('Shift+ArrowRight');
    await isNow('ask');
    expect(await momentText()).toContain('into ask');
    expect(await card('wait').getAttribute('class')).toContain('dim');
    await page.getByText('None is set yet.').waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await isNow('wait');
    await page.locator('.call-facts', { hasText: 'choice' }).getByText('orders', { exact: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await isNow('note');
    await page.keyboard.press('End');
    await isNow('bye');
    expect(await page.locator('.key', { hasText: /^1$/ }).count()).toBe(1);
  });

  test('have an address for each moment', async () => {
    const { page } = studio;
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowRight');
    const text = await momentText();
    await expect.poll(() => new URL(page.url()).searchParams.get('e')).toMatch(/^\d+$/);
    const colleague = await studio.another();
    await colleague.goto(page.url());
    const slider = colleague.getByRole('slider', { name: 'Moment of the call' });
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe(text);
    await colleague.close();
  });

  test('are heard from the moment on, and the light moves with the sound', async () => {
    const { page } = studio;
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await expect.poll(async () => Number(await moment().getAttribute('aria-valuenow'))).toBeGreaterThan(500);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Listen' }).waitFor();
  });

  test('are the same on the flow of today', async () => {
    const { page } = studio;
    await page.keyboard.press('p');
    await page.getByText('On today’s flow this call goes the same way.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close the result of the replay' }).click();
  });

  test('are told as they happen, and can be hung up', async () => {
    const { page } = studio;
    const run = await call(1);
    await studio.open('/calls?q=is:live');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.locator('[data-step="wait"].now').waitFor();
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Hang up', exact: true }).press('Enter');
    await page.getByRole('option').filter({ hasText: 'call ended' }).waitFor();
    await run.ended;
  });

  test('do nothing that the policy forbids, and ask nobody else', () => {
    expect(studio.problems).toEqual([]);
  });
});
