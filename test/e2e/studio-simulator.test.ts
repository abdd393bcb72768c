/** Calls in virtual time and tests in a real browser, against the service: by keyboard only. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Without the test of a silent caller, so that something is left to be written. */
const FILES = readdirSync(join(ROOT, 'flows')).filter((file) => /^order-status\.(?!silent)/.test(file));

describe.skipIf(browser.missing)(`the simulator and the tests in a browser${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;
  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-studio-')),
      address: '127.0.0.73',
      numbers: [{ number: '7000', flow: 'order-status' }],
      flows: Object.fromEntries(FILES.map((file) => [file, readFileSync(join(ROOT, 'flows', file), 'utf8')])),
    });
    studio = await openStudio(service);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await studio.page.keyboard.press(key);
  };
  const conversation = () => studio.page.getByRole('list', { name: 'Conversation' });
  const pathSteps = (): Promise<string[]> =>
    studio.page
      .locator('.card.visited')
      .evaluateAll((cards) => cards.map((card) => (card as unknown as { dataset: { step: string } }).dataset.step));

  test('makes a call by keys, asks for external answers where they are needed, and takes back acts', async () => {
    const { page } = studio;
    await studio.open('/flows/order-status/simulate');
    await conversation().getByText('Please enter your order number').waitFor();
    await press('1', '2', '3', '4', '5', '6');
    await page.getByRole('group', { name: /What does look_up get/ }).waitFor();
    expect(await page.locator('.card.now').getAttribute('data-step')).toBe('look_up');
    await page.getByRole('button', { name: '404' }).press('Enter');
    await conversation().getByText('I cannot find that order.').waitFor();
    expect(await pathSteps()).toEqual(expect.arrayContaining(['ask_order', 'look_up', 'unknown']));
    await press('u');
    await page.getByRole('group', { name: /What does look_up get/ }).waitFor();
    expect(await conversation().getByText('I cannot find that order.').count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('stops at a breakpoint, continues to the selected step, and is saved as a test that passes', async () => {
    const { page } = studio;
    await studio.open('/flows/order-status/simulate?step=unknown');
    await conversation().getByText('Please enter your order number').waitFor();
    await press('b');
    await page.locator('[data-step="unknown"] .breakpoint').waitFor();
    await press('Shift+Enter');
    await conversation().getByText('I cannot find that order.').waitFor();
    await press('h');
    await page.locator('.phone-over', { hasText: 'Call ended' }).waitFor();
    await press('t');
    await page.getByLabel('Test name').fill('an order that nobody knows, kept');
    await press('Enter');
    await page.getByText('Test saved as order-status.an-order-that-nobody-knows-kept.test.yaml').waitFor();
    await studio.open('/flows/order-status/tests');
    await page.getByRole('region', { name: 'Tests' }).getByText(`${FILES.length} tests pass`).waitFor();
    await page.getByRole('button', { name: /passed: an order that nobody knows, kept/ }).waitFor();
  });

  test('tests show what they reach, and one that fails both of its ways', async () => {
    const { page } = studio;
    await studio.open('/flows/order-status/tests');
    await page.getByText('11 of 11 steps').waitFor();
    await page.locator('.row.miss', { hasText: 'exhausted' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: /passed: .* learns that the order was delivered/ }).press('Enter');
    await page.locator('.card.visited').first().waitFor();
    await press('e');
    const text = page.getByLabel('Text', { exact: true });
    const before = await text.inputValue();
    await text.fill(before.replace('state: delivered', 'state: shipped'));
    await press('Control+s');
    await page.getByRole('list', { name: 'The path: expected and taken' }).waitFor();
    await page
      .getByRole('region', { name: 'Tests' })
      .getByText(/1 of \d+ tests fails/)
      .waitFor();
    await page.locator('[data-step="delivered"] .badge-corner.removed', { hasText: 'expected' }).waitFor();
    await page.locator('[data-step="shipped"] .badge-corner.added', { hasText: 'went here' }).waitFor();
    for (const way of ['added', 'removed']) expect(await page.locator(`path.wire.${way}`).count()).toBeGreaterThan(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('proposes a call that no test reaches; its author hears it, writes what must be heard, and saves it', async () => {
    const { page } = studio;
    await studio.open('/flows/order-status/tests');
    await page.getByRole('button', { name: 'Write a test: ask_order exhausted' }).press('Enter');
    await page.getByText('Suggested call that reaches ask_order by exhausted.').waitFor();
    await conversation().getByText('Thank you for calling. Goodbye.').waitFor();
    expect(new URL(page.url()).search).toBe('?reach=ask_order&by=exhausted');
    expect(await accessibilityProblems(page)).toEqual([]);
    await press('t');
    expect(await page.getByLabel('Test name').inputValue()).toBe('ask_order: exhausted');
    await page.getByLabel('Prompt 1').fill('Please enter your order number');
    await expect
      .poll(() => page.getByLabel('Test text').inputValue())
      .toContain('- hear: Please enter your order number\n  - silence');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Test name').press('Enter');
    await page.getByRole('button', { name: 'passed: ask_order: exhausted' }).waitFor();
    expect(await page.getByRole('button', { name: 'Write a test: ask_order exhausted' }).count()).toBe(0);
  });

  test('repeats the acts on a changed flow beside the editor, and marks what differs', async () => {
    const { page } = studio;
    await studio.open('/flows/order-status');
    await page.locator('.cm-content').waitFor();
    await press('F9');
    await conversation().getByText('Please enter your order number').waitFor();
    const editor = page.locator('.cm-content');
    await editor.getByText('Please enter your order number of six digits.').click();
    await press('Home', 'ArrowRight', 'ArrowRight');
    await page.keyboard.press('End');
    await page.keyboard.type(' Now');
    await conversation().locator('.new').getByText('Now').waitFor();
    await conversation().locator('.gone').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('has no errors in the page, and loads nothing from other origins', () => {
    expect(studio.problems).toEqual([]);
  });
});
