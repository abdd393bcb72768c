/**
 * A flow built by hand: steps are added from the list of steps, by mouse alone and by keys alone, and the text stays a
 * sound flow after each. In Chromium, against the started service.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const EMPTY = 'flow: empty\nsteps: {}\n';
const SHOP = `flow: shop
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: Welcome to our shop., next: ask }
  ask:
    menu: { prompt: For bread press 1., choices: { bread: { dtmf: "1" }, cake: { dtmf: "2" } } }
    exits: { bread: bye, cake: $end, exhausted: bye }
  bye: { hangup: normal }
`;

describe.skipIf(browser.missing)(`the list of steps in a browser${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;
  const opened: Page[] = [];

  const path = (flow: string): string => join(service.directory, `flows/${flow}.flow.yaml`);
  const saved = (flow: string): Record<string, unknown> => parse(readFileSync(path(flow), 'utf8'));
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const card = (step: string): Locator => page.locator(`.card[data-step="${step}"]`);
  const picker = (): Locator => page.getByRole('dialog', { name: /What (should happen|happens first)/ });
  const search = (): Locator => picker().getByRole('combobox');
  const option = (name: string): Locator => picker().getByRole('option', { name });
  /** Waits for the check of the current text, which has no error. */
  const sound = async (): Promise<void> => {
    await eventually(() => page.locator('.checked').textContent()).toContain('checked in');
    expect(await page.locator('.page [role="status"].bad').count()).toBe(0);
  };
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const isFocused = (wanted: Locator) => eventually(() => wanted.and(page.locator(':focus')).count()).toBe(1);
  const edit = async (flow: string, size = { width: 1440, height: 900 }): Promise<void> => {
    page = await studio.another();
    await page.setViewportSize(size);
    page.setDefaultTimeout(15_000);
    opened.push(page);
    await page.goto(`${service.url}/studio/flows/${flow}`);
    await page.locator('.card, .first-step, .outline-step').first().waitFor();
  };
  const type = async (words: string): Promise<void> => {
    await isFocused(search());
    await page.keyboard.type(words);
  };
  const textNow = (): Promise<string> => page.locator('.text-editor .cm-content').innerText();

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-picker-')),
      address: '127.0.0.213',
      numbers: [{ number: '1000', flow: 'shop' }],
      flows: { 'shop.flow.yaml': SHOP },
    });
    writeFileSync(path('empty'), EMPTY);
    studio = await openStudio(service);
  }, 90_000);
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close({ runBeforeUnload: false });
    writeFileSync(path('shop'), SHOP);
    writeFileSync(path('empty'), EMPTY);
    expect(studio.problems.splice(0).filter((line) => !/status of (409|412|422)/.test(line))).toEqual([]);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('builds a greeting, a menu and a step of its choice from an empty flow by mouse', async () => {
    await edit('empty');
    await page.getByRole('button', { name: 'What happens first?' }).click();
    await option('Say or play').first().click();
    await card('play').waitFor();
    await card('play').hover();
    await card('play').locator('.plus').click();
    await picker()
      .getByRole('button', { name: /Say and ask/ })
      .click();
    await picker().getByRole('group', { name: 'Say and ask' }).getByRole('option', { name: /^Menu/ }).click();
    await card('menu').waitFor();
    await card('menu').locator('[data-exit="first"] .plus').click();
    await option('Say or play').first().click();
    await card('play_2').waitFor();
    await sound();
    await page.locator('.actions .button.primary').click();
    await eventually(() => saved('empty')['start']).toBe('play');
    expect(saved('empty')).toMatchObject({
      defaults: { exits: { error: '$end' } },
      steps: {
        play: { play: '[What should be said?]', next: 'menu' },
        menu: { exits: { first: 'play_2', second: '$end', exhausted: '$end' } },
        play_2: { next: '$end' },
      },
    });
  });

  test('builds the same by keys, each step from the step before, with its words', async () => {
    await edit('empty');
    await page.locator('.first-step').focus();
    await press('a');
    await type('“Welcome to the bakery.');
    await press('Control+Enter');
    await eventually(() => picker().getByRole('status').textContent()).toBe('');
    await type('menu');
    await press('Control+Enter');
    await eventually(() => picker().getAttribute('aria-label')).toContain('after menu');
    await type('The bread is ready at five.');
    await press('Enter');
    await card('play_2').waitFor();
    await isFocused(card('play_2'));
    await sound();
    await press('Control+s');
    await eventually(() => saved('empty')['steps']).toMatchObject({
      play: { play: 'Welcome to the bakery.', next: 'menu' },
      menu: { exits: { first: 'play_2', second: '$end', exhausted: '$end' } },
      play_2: { play: 'The bread is ready at five.', next: '$end' },
    });
  });

  test('asks by letters after which outcome, and writes nothing on Escape', async () => {
    await edit('shop');
    await card('ask').click({ position: { x: 60, y: 12 } });
    await press('a');
    await page.getByText('After which outcome?').waitFor();
    await press('b');
    await isFocused(search());
    expect(await picker().getAttribute('aria-label')).toContain('after ask');
    await press('Escape');
    await eventually(() => picker().count()).toBe(0);
    await isFocused(card('ask'));
    expect(await textNow()).toContain('cake: $end');
  });

  test('inserts into a line, and asks for what cannot be invented', async () => {
    await edit('shop');
    const from = (await card('hello').boundingBox())!;
    const to = (await card('ask').boundingBox())!;
    await page.mouse.move((from.x + from.width + to.x) / 2, from.y + 19);
    const plus = page.getByRole('button', { name: 'Add a step between hello and ask' });
    await plus.click();
    await type('crm');
    await press('Enter');
    const field = picker().getByLabel('At which address?');
    await isFocused(field);
    await page.keyboard.type('no address');
    await press('Enter');
    await eventually(() => picker().getByRole('alert').textContent()).not.toBe('');
    expect(await card('request').count()).toBe(0);
    await field.fill('https://shop.example/orders');
    await press('Enter');
    await card('request').waitFor();
    await sound();
    expect(await textNow()).toContain('request: { get: "https://shop.example/orders" }');
    expect(await textNow()).toMatch(/hello: \{.*next: request \}/);
  });

  test('keeps the place and the ways of a step that is filled in later', async () => {
    await edit('shop');
    await card('hello').focus();
    await press('a');
    await type('queue');
    await press('Enter');
    await picker().getByRole('button', { name: 'Fill in later' }).click();
    await card('queue').waitFor();
    expect(await textNow()).toMatch(/outcomes: \[\s*dequeued/);
    await page.getByRole('tab', { name: 'Form' }).click();
    await page.getByRole('button', { name: 'Turn into a step…' }).click();
    const field = page.getByRole('dialog').getByLabel('Which waiting line?');
    await isFocused(field);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.type('support');
    await press('Enter');
    await eventually(() => card('queue').textContent()).toContain('support');
    await eventually(() => page.locator('.page [role="status"].bad').count()).toBe(0);
    await sound();
    await press('Control+s');
    await eventually(() => saved('shop')['steps']).toMatchObject({
      queue: { queue: { name: 'support' }, next: 'ask', exits: { full: expect.any(String) } },
    });
  });

  test('inserts a template as one group, asks whom to call, and takes it back by one undo', async () => {
    await edit('shop');
    const before = await textNow();
    await card('hello').focus();
    await press('a');
    await type('voicemail');
    await option('Menu with voicemail').click();
    await isFocused(picker().getByLabel('Whom to call?'));
    await page.keyboard.type('user:bob');
    await press('Enter');
    await card('connect').waitFor();
    await sound();
    expect(await page.locator('.canvas').getByText('Menu with voicemail').count()).toBeGreaterThan(0);
    expect(await textNow()).toMatch(/to: "?user:bob/);
    await isFocused(card('menu'));
    await press('Control+z');
    await eventually(() => textNow()).toBe(before);
  });

  test('asks before a step that ends the call cuts off others', async () => {
    await edit('shop');
    await card('hello').focus();
    await press('a');
    await type('hang up');
    await press('Enter');
    await picker().getByText('One step after it can no longer be reached: ask').waitFor();
    await picker().getByRole('button', { name: 'Add, and delete them' }).click();
    await card('hangup').waitFor();
    expect(await card('ask').count()).toBe(0);
    await sound();
  });

  test('finds by everyday words, explains, and proposes the nearest word', async () => {
    await edit('shop');
    await page.getByRole('button', { name: 'Add step' }).click();
    await type('voicemail');
    await eventually(() => picker().getByRole('option', { selected: true }).textContent()).toContain(
      'Record a message',
    );
    await press('F1');
    await picker().locator('.picker-help').waitFor();
    await search().fill('voicemial');
    await picker().getByText('Nothing is called “voicemial”.').waitFor();
    await option('Record a message').waitFor();
    await search().fill('');
    await press('ArrowDown', 'ArrowDown', 'PageDown');
    await eventually(() => picker().locator('[aria-current]').textContent()).toMatch(/Say and ask|Recently used/);
    await press('ArrowRight', 'ArrowRight');
    await eventually(() => picker().locator('[aria-current]').textContent()).toMatch(/Decide|Connect/);
  });

  test('has no accessibility violations, in light and in dark, on both pages', async () => {
    await edit('shop');
    await page.getByRole('button', { name: 'Add step' }).click();
    await isFocused(search());
    expect(await accessibilityProblems(page)).toEqual([]);
    await type('dial');
    expect(await accessibilityProblems(page)).toEqual([]);
    await press('Enter');
    await picker().getByLabel('Whom to call?').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('is a sheet on a phone, with the same steps', async () => {
    await edit('shop', { width: 390, height: 800 });
    await page.locator('.outline-step').first().click();
    await page.locator('.outline-plus').first().click();
    await picker().getByRole('button', { name: 'Cancel' }).waitFor();
    expect(await picker().boundingBox()).toMatchObject({ x: 0, y: 0, width: 390, height: 800 });
    expect(await accessibilityProblems(page)).toEqual([]);
    await picker().locator('[data-verb="pause"]').first().click();
    await page.locator('.outline-step', { hasText: 'pause' }).waitFor();
  });
});
