/** Words with values in Chromium: chips by mouse and by keys, their box and list, and the bytes of the file. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOW = `flow: bakery
defaults: { exits: { error: bye } }
vars:
  name: { type: string, default: Ann }
  order: { type: object, properties: { date: { type: string }, amount: { type: number } } }
start: welcome
steps:
  welcome: { play: "Hello \${ vars.name }, welcome.", next: later }
  later: { play: "We open at nine.", next: shout }
  shout: { play: "Dear \${ $uppercase(vars.name) }!", next: draft }
  draft: { play: "[What should be said?]", next: bye }
  bye: { hangup: normal }
`;

const styleOf = (element: unknown, name: string): string =>
  // biome-ignore lint/suspicious/noExplicitAny: a function of the page.
  (globalThis as any).getComputedStyle(element)[name];

describe.skipIf(browser.missing)(`words with values${browser.why}`, { timeout: 90_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;

  const path = (): string => join(service.directory, 'flows/bakery.flow.yaml');
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const field = (): Locator => page.locator('.form-pane [data-field="play.prompt"]');
  const words = (): Locator => field().getByRole('textbox');
  const chip = (): Locator => field().locator('.cm-content .value-chip');
  const box = (): Locator => page.locator('dialog.value-box');
  const list = (): Locator => page.locator('.cm-tooltip-autocomplete');
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const open = async (step: string, { width = 1440, height = 900, query = '' } = {}): Promise<void> => {
    page = await studio.another();
    await page.setViewportSize({ width, height });
    page.setDefaultTimeout(15_000);
    await page.goto(`${service.url}/studio/flows/bakery?step=${step}${query}`);
    await words().waitFor();
  };
  /** Saves, and expects these words of the step in the file, as they are written. */
  const expectWritten = async (before: string, after: string): Promise<void> => {
    const wanted = FLOW.replace(before, () => after);
    if (readFileSync(path(), 'utf8') !== wanted) await page.locator('.actions .primary:enabled').waitFor();
    await press('Control+s');
    await eventually(() => readFileSync(path(), 'utf8')).toBe(wanted);
  };
  const HELLO = 'Hello ${ vars.name }, welcome.';

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-words-')),
      address: '127.0.0.229',
      numbers: [],
      flows: { 'bakery.flow.yaml': FLOW },
    });
    studio = await openStudio(service, { width: 1440, height: 900, column: 'form' });
  }, 90_000);
  afterEach(async () => {
    await page.close({ runBeforeUnload: false });
    writeFileSync(path(), FLOW);
    expect(studio.problems.splice(0).filter((line) => !/status of (409|412|422)/.test(line))).toEqual([]);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('shows a value as a chip with its name, and passes and deletes it as one character', async () => {
    await open('welcome');
    await eventually(() => words().innerText()).toBe('Hello name, welcome.');
    expect(await chip().getAttribute('title')).toBe('vars.name');
    await words().focus();
    await press('Control+Home');
    for (const _ of 'Hello ') await press('ArrowRight');
    await press('ArrowRight');
    await page.keyboard.type('!');
    await expectWritten(HELLO, 'Hello ${ vars.name }!, welcome.');
    await press('Backspace', 'Backspace');
    await expectWritten(HELLO, 'Hello , welcome.');
    await press('Control+z');
    await eventually(() => chip().count()).toBe(1);
    await expectWritten(HELLO, HELLO);
    await press('Control+Home');
    for (const _ of 'Hello ') await press('ArrowRight');
    await press('Delete');
    await expectWritten(HELLO, 'Hello , welcome.');
  });

  test('changes a value in the box of its chip, by mouse', async () => {
    await open('welcome');
    await chip().click();
    await box().getByRole('combobox').waitFor();
    expect(await box().getByRole('option').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/name\s+text/), expect.stringMatching(/order · amount\s+number/)]),
    );
    expect(await accessibilityProblems(page)).toEqual([]);
    await box()
      .getByRole('option', { name: /order · date/ })
      .click();
    await expectWritten(HELLO, 'Hello ${ vars.order.date }, welcome.');
    await page.keyboard.type(' then');
    await expectWritten(HELLO, 'Hello ${ vars.order.date } then, welcome.');
  });

  test('changes a value by keys, and an expression in its field', async () => {
    await open('shout');
    await words().focus();
    await press('Control+Home');
    for (const _ of 'Dear ') await press('ArrowRight');
    await press('Enter');
    const expression = box().getByRole('combobox');
    await expression.waitFor();
    expect(await expression.inputValue()).toBe('$uppercase(vars.name)');
    await expression.fill('$lowercase(vars.name');
    await press('Enter');
    await box().getByRole('alert').waitFor();
    await expression.fill('$lowercase(vars.name)');
    await press('Enter');
    await box().waitFor({ state: 'detached' });
    await expectWritten('$uppercase(vars.name)', '$lowercase(vars.name)');
    await press('Enter', 'ArrowDown', 'ArrowDown', 'Enter');
    await expectWritten('$uppercase(vars.name)', 'vars.order');
    await press('Enter');
    await expression.fill('vars.nothing');
    await press('Escape');
    await box().waitFor({ state: 'detached' });
    await expectWritten('$uppercase(vars.name)', 'vars.order');
    expect(await words().evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  test.each(['$', '{', '${', '@'])(
    'opens the list of values after %s in plain words, as one undo step',
    async (sign) => {
      await open('later');
      await words().click();
      await press('End');
      await page.keyboard.type(` See ${sign}`);
      await list()
        .getByRole('option', { name: /vars\.name/ })
        .waitFor();
      await page.keyboard.type('dat');
      await eventually(() => list().getByRole('option', { selected: true }).innerText()).toContain('vars.order.date');
      expect(await accessibilityProblems(page)).toEqual([]);
      await press('Enter');
      await chip().waitFor();
      await page.keyboard.type(' at last');
      await expectWritten('We open at nine.', 'We open at nine. See ${ vars.order.date } at last');
      await press('Control+z');
      await eventually(() => words().innerText()).toBe('We open at nine.');
      await expectWritten('', '');
    },
  );

  test('leaves plain signs and a value without its end in the text', async () => {
    await open('later');
    await words().click();
    await press('End');
    await page.keyboard.type(' It costs $5, ask ann@example.com');
    await expectWritten('We open at nine.', 'We open at nine. It costs $5, ask ann@example.com');
    await page.keyboard.type(' ${ vars.na');
    await field().getByText('A } is missing').waitFor();
    expect(await chip().count()).toBe(0);
    await list().waitFor();
    await press('Escape');
    await page.keyboard.type('me }');
    await chip().waitFor();
    await expectWritten('We open at nine.', 'We open at nine. It costs $5, ask ann@example.com ${ vars.name }');
  });

  test('copies and pastes values as text, and reads a pasted one', async () => {
    await open('welcome');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await words().focus();
    await press('Control+a', 'Control+c');
    await eventually(() => page.evaluate('navigator.clipboard.readText()')).toBe(HELLO);
    await page.locator('.card[data-step="later"]').click({ position: { x: 40, y: 12 } });
    await eventually(() => words().inputValue()).toBe('We open at nine.');
    await words().focus();
    await press('Control+End', 'Control+v');
    await chip().waitFor();
    await expectWritten('We open at nine.', `We open at nine.${HELLO}`);
  });

  test('shows the value of the simulated call in the chip and in the list', async () => {
    await open('welcome', { query: '&beside=phone' });
    await chip().getByText('Ann').waitFor();
    await chip().click();
    expect(await box().getByRole('option', { name: /^name/ }).innerText()).toMatch(/Ann/);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('replaces a placeholder as a whole by the first key, after a click into it', async () => {
    await open('draft');
    expect(await words().evaluate(styleOf, 'fontStyle')).toBe('italic');
    const onCard = page.locator('.card[data-step="draft"] p');
    expect(await onCard.evaluate(styleOf, 'fontStyle')).toBe('italic');
    await words().click({ position: { x: 60, y: 14 } });
    await press('ArrowRight');
    await page.keyboard.type('Good day, and bye');
    await expectWritten('[What should be said?]', '"Good day, and bye"'.replaceAll('"', ''));
  });

  test('is accessible on a phone, and takes a composed character', async () => {
    await open('welcome', { width: 390, height: 800, query: '&show=form' });
    await words().focus();
    await press('Control+End');
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await cdp.send('Input.insertText', { text: '日本' });
    await eventually(() => words().innerText()).toBe('Hello name, welcome.日本');
    await expectWritten(HELLO, `${HELLO}日本`);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('reads Arabic words from right to left, with the value as one character in them', async () => {
    await open('welcome');
    await words().focus();
    await press('Control+Home');
    await page.keyboard.type('مرحبا ');
    expect(await field().locator('.cm-line').evaluate(styleOf, 'direction')).toBe('rtl');
    for (const _ of 'Hello ') await press('Delete');
    await press('ArrowLeft');
    await page.keyboard.type('!');
    await expectWritten(HELLO, 'مرحبا ${ vars.name }!, welcome.');
  });
});
