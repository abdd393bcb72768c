/**
 * Editor features in the text and between flows: names and problems are navigated, hovered and fixed; steps move from
 * one flow to another as YAML; two users change one step; flows are duplicated and deleted. By keys, in Chromium,
 * against the started service.
 */
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOW = readFileSync(join(import.meta.dirname, '../../flows/welcome-menu.flow.yaml'), 'utf8');
const OTHER = `flow: other
defaults: { exits: { error: bye } }
start: first
steps:
  first: { play: This is the other flow., next: bye }
  bye: { hangup: normal }
`;

describe.skipIf(browser.missing)(`the editor in a browser${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;
  const opened: Page[] = [];

  const path = (flow: string): string => join(service.directory, `flows/${flow}.flow.yaml`);
  const saved = (flow: string): string => readFileSync(path(flow), 'utf8');
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const card = (step: string, on = page): Locator => on.locator(`.card[data-step="${step}"]`);
  const text = (on = page): Locator => on.locator('.text-editor .cm-content');
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Opens a flow in a window of its own, which the keys go to. */
  const edit = async (flow: string): Promise<Page> => {
    page = await studio.another();
    page.setDefaultTimeout(15_000);
    opened.push(page);
    await page.goto(`${service.url}/studio/flows/${flow}`);
    await page.locator('.card').first().waitFor();
    return page;
  };
  /** Puts the cursor behind the first place of these words. */
  const putCursor = async (words: string): Promise<void> => {
    await text().focus();
    await press('Control+Home', 'Control+f');
    await page.keyboard.type(words);
    await press('Enter', 'Escape', 'ArrowRight');
  };
  const selectedWords = (): Promise<string> => page.evaluate('getSelection().toString()');
  /** Text of the line with the cursor. */
  const lineOfCursor = (): Promise<string | null> => page.locator('.cm-activeLine').textContent();

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-editor-')),
      address: '127.0.0.124',
      numbers: [{ number: '1000', flow: 'welcome-menu' }],
      flows: { 'welcome-menu.flow.yaml': FLOW, 'other.flow.yaml': OTHER },
    });
    studio = await openStudio(service);
  }, 90_000);
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close({ runBeforeUnload: false });
    writeFileSync(path('welcome-menu'), FLOW);
    writeFileSync(path('other'), OTHER);
    // A refused request is written into the console by the browser itself.
    expect(studio.problems.splice(0).filter((line) => !/status of (409|412|422)/.test(line))).toEqual([]);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('F12: opens the definition of a name, and Shift F12 one of the routes to it', async () => {
    await edit('welcome-menu');
    await putCursor('next: menu');
    await press('F12');
    await eventually(selectedWords).toBe('menu');
    await eventually(lineOfCursor).toBe('  menu:');
    await eventually(() => card('menu').getAttribute('class')).toContain('selected');
    await putCursor('play: hours');
    await press('F12');
    await eventually(lineOfCursor).toContain('  hours: We are here Monday to Friday');
    await putCursor('collected: read_back, exhausted: menu');
    await press('Shift+F12');
    const ways = page.getByRole('dialog', { name: 'Ways to menu' });
    await eventually(() => ways.getByRole('listitem').count()).toBe(5);
    await press('Tab', 'Enter');
    await eventually(lineOfCursor).toBe('  hours: { play: hours, next: menu }');
  });

  test('F8: cycles through the problems, and their repairs are made from the text', async () => {
    await edit('welcome-menu');
    await putCursor('hours: { play: hours, next: menu');
    await page.keyboard.type('x');
    await putCursor('how: { play: how, next: menu');
    await page.keyboard.type('y');
    await press('Escape');
    await eventually(() => page.locator('.problem-list .error').count()).toBe(2);
    await press('Control+Home', 'F8');
    await eventually(lineOfCursor).toContain('next: menux');
    await press('F8');
    await eventually(lineOfCursor).toContain('next: menuy');
    await press('F8');
    await eventually(lineOfCursor).toContain('next: menux');
    await press('Shift+F8');
    await eventually(lineOfCursor).toContain('next: menuy');
    // At the line itself, as in the list.
    await text().getByText('menuy', { exact: true }).hover();
    await page.locator('.cm-tooltip').getByRole('button', { name: 'Write menu' }).click();
    await eventually(() => text().textContent()).toContain('how: { play: how, next: menu }');
    // At once, while the list is still that of the text before.
    await page.locator('.problem-list').getByRole('button', { name: 'Write menu' }).first().press('Enter');
    await page.getByText('✓ no problems').waitFor();
    await press('Control+s');
    expect(saved('welcome-menu')).toBe(FLOW);
  });

  test('explains a word under the pointer', async () => {
    await edit('welcome-menu');
    await putCursor('max_visits');
    await text().getByText('max_visits').hover();
    await page.locator('.cm-hover').getByText('max_visits').waitFor();
    expect((await page.locator('.cm-hover p').textContent())!.length).toBeGreaterThan(20);
  });

  test('F2: renames a step in the text with all its routes', async () => {
    await edit('welcome-menu');
    await putCursor('exhausted: nobody');
    await press('F2');
    await page.getByRole('dialog').locator(':focus').waitFor();
    await press('Control+a');
    await page.keyboard.type('silent');
    await press('Enter', 'Control+s');
    const renamed = FLOW.replace('exhausted: nobody', 'exhausted: silent').replace('\n  nobody: {', '\n  silent: {');
    await eventually(() => saved('welcome-menu')).toBe(renamed);
  });

  test('copies a step of one flow into another, with its prompt', async () => {
    await edit('welcome-menu');
    await card('goodbye').click({ position: { x: 40, y: 12 } });
    await press('Control+c');
    await edit('other');
    await card('first').focus();
    await press('Control+v');
    await card('goodbye').waitFor();
    await press('Control+s');
    await eventually(() => saved('other')).toContain('goodbye: { play: goodbye, next: bye }');
    expect(saved('other')).toContain('goodbye: Thank you for calling. Goodbye.');
    // A second copy is given a unique name.
    await press('Control+v');
    await card('goodbye_2').waitFor();
    await press('Control+z');
  });

  test('shows both texts when two people change one step, and offers either change', async () => {
    const one = await edit('welcome-menu');
    const change = async (words: string): Promise<void> => {
      await card('welcome').focus();
      await press('w');
      await page.getByRole('dialog').getByRole('textbox').fill(words);
      await press('Enter');
    };
    const two = await edit('welcome-menu');
    page = one;
    await change('Welcome by the first.');
    await card('how').click({ position: { x: 40, y: 12 } });
    await press('x');
    await card('how').waitFor({ state: 'detached' });
    await press('Control+s');
    await eventually(() => saved('welcome-menu')).toContain('Welcome by the first.');
    page = two;
    await change('Welcome by the second.');
    await press('Control+s');
    const conflict = page.getByRole('dialog', { name: /saved this flow/ });
    const both = conflict.getByRole('region', { name: /beside:/ });
    await eventually(() => both.textContent()).toContain('Welcome by the first.');
    await eventually(() => both.textContent()).toContain('Welcome by the second.');
    expect(saved('welcome-menu')).toContain('Welcome by the first.');
    await conflict
      .getByRole('group', { name: /Both versions changed/ })
      .getByText('prompts.welcome')
      .waitFor();
    await conflict.getByRole('radio', { name: 'theirs' }).check();
    await conflict.getByRole('button', { name: 'Merge both' }).click();
    await conflict.waitFor({ state: 'detached' });
    await eventually(() => text().textContent()).toContain('Welcome by the first.');
    await card('welcome').getByText('Welcome by the first.').waitFor();
    // Only the changes of the first user are there, and undo restores one's own.
    expect(await card('how').count()).toBe(0);
    await text().focus();
    await press('Control+z');
    await card('welcome').getByText('Welcome by the second.').waitFor();
    await press('Control+y');
    await card('welcome').getByText('Welcome by the first.').waitFor();
  });

  test('duplicates and deletes flows from the list, except those that a number needs', async () => {
    await edit('other');
    await page.goto(`${service.url}/studio/flows`);
    const row = (flow: string): Locator => page.getByRole('link', { name: new RegExp(`^${flow} `) });
    await row('other').focus();
    await press('d');
    await page.getByRole('dialog').locator(':focus').waitFor();
    await press('Control+a');
    await page.keyboard.type('another');
    await press('Enter');
    await card('first').waitFor();
    expect(saved('another')).toBe(OTHER.replace('flow: other', 'flow: another'));

    await page.goto(`${service.url}/studio/flows`);
    await row('another').focus();
    await press('x');
    await page.getByRole('dialog', { name: 'Delete another?' }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(existsSync(path('another'))).toBe(true);
    await press('x');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Delete another/ })
      .and(page.locator(':focus'))
      .waitFor();
    await press('Enter');
    await row('another').waitFor({ state: 'detached' });
    expect(existsSync(path('another'))).toBe(false);

    await row('welcome-menu').focus();
    await press('x');
    await page
      .getByRole('button', { name: /^Delete welcome-menu/ })
      .and(page.locator('dialog button'))
      .waitFor();
    await press('Enter');
    await page.getByRole('alert').filter({ hasText: '1000' }).waitFor();
    expect(existsSync(path('welcome-menu'))).toBe(true);
  });
});
