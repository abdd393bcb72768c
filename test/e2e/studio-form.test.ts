/**
 * The form of a step in Chromium, against the started service: words, keys, durations and routes by mouse and by keys,
 * with the file as a person would have written it.
 */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOW = `# The bakery.
flow: bakery
defaults: { exits: { error: bye } }
start: welcome
prompts:
  closing: Thank you for calling.
vars:
  name: { type: string, default: "" }
steps:
  welcome: { play: Welcome to the bakery., next: menu } # greets
  # Three ways on.
  menu:
    menu:
      prompt: For our hours press 1, to talk to us press 2. # spoken slowly
      choices:
        hours: { dtmf: "1" } # the hours
        talk: { dtmf: "2" }
    exits: { hours: hours, talk: desk, exhausted: bye }
  hours:
    play: We are open from seven to six.
    next: thanks
  desk:
    bridge: { to: "sip:ann@example.com", ring_timeout: 20s }
    exits: { completed: bye, failed: thanks }
  thanks: { play: closing, next: bye }
  bye: { hangup: normal }
`;

const TIERS = `flow: tiers
defaults: { exits: { error: bye } }
vars: { tier: { type: string, default: "" } }
start: pick
steps:
  pick:
    branch:
      # The best customers.
      - { when: "vars.tier = 'gold'", next: gold } # first
      - { else: bye }
  gold: { play: You are a gold customer., next: bye }
  bye: { hangup: normal }
`;

describe.skipIf(browser.missing)(`the form in a browser${browser.why}`, { timeout: 90_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;

  const path = (): string => join(service.directory, 'flows/bakery.flow.yaml');
  const saved = (): string => readFileSync(path(), 'utf8');
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const card = (step: string): Locator => page.locator(`.card[data-step="${step}"]`);
  const form = (): Locator => page.locator('.form-pane');
  const field = (name: string): Locator => form().locator(`[data-field="${name}"]`);
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const open = async (step?: string, query = ''): Promise<void> => {
    page = await studio.another();
    page.setDefaultTimeout(15_000);
    await page.goto(`${service.url}/studio/flows/bakery?${step === undefined ? '' : `step=${step}`}${query}`);
    await page.locator('.form-head').first().waitFor({ state: 'attached' });
  };
  /** Saves, and expects these lines in place of others. */
  const expectSaved = async (...changes: readonly (readonly [before: string, after: string])[]): Promise<void> => {
    const wanted = changes.reduce((text, [before, after]) => text.replace(before, () => after), FLOW);
    // The button is disabled while nothing is changed, and while the service writes the file.
    if (saved() !== wanted) await page.locator('.actions .primary:enabled').waitFor();
    await press('Control+s');
    await eventually(saved).toBe(wanted);
  };
  const isFocused = (at: Locator): Promise<boolean> => at.evaluate((element) => element.matches(':focus'));
  const undo = (): Promise<void> => press('Control+z');

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-form-')),
      address: '127.0.0.134',
      numbers: [],
      flows: { 'bakery.flow.yaml': FLOW, 'tiers.flow.yaml': TIERS },
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

  test('changes the words of a step as they are typed, in one undo step', async () => {
    await open();
    await card('welcome').click({ position: { x: 40, y: 12 } });
    const words = field('play.prompt').getByRole('textbox');
    await words.fill('Good morning from the bakery, come in');
    await words.press('End');
    await words.pressSequentially('!');
    await card('welcome').getByText('Good morning from the bakery, come in!').waitFor();
    await expectSaved(['play: Welcome to the bakery.', 'play: "Good morning from the bakery, come in!"']);
    await undo();
    await eventually(() => words.inputValue()).toBe('Welcome to the bakery.');
    await expectSaved();
    await press('Control+y');
    await eventually(() => words.inputValue()).toBe('Good morning from the bakery, come in!');
  });

  test('changes words that stand in the table of prompts, there', async () => {
    await open('thanks');
    await field('play.prompt').getByRole('textbox').fill('Thanks.');
    await expectSaved(['closing: Thank you for calling.', 'closing: Thanks.']);
  });

  test('keeps a single word to itself and says why', async () => {
    await open('hours');
    const words = field('play.prompt').getByRole('textbox');
    await words.fill('Closed');
    await form()
      .getByText(/name of a sound/)
      .waitFor();
    await press('Escape');
    await eventually(() => words.inputValue()).toBe('We are open from seven to six.');
    await expectSaved();
  });

  test('sets an argument of a step that is written short', async () => {
    await open('hours');
    await field('play.barge_in').getByRole('button', { name: 'Yes' }).click();
    await expectSaved([
      'play: We are open from seven to six.',
      'play: { prompt: We are open from seven to six., barge_in: true }',
    ]);
    await field('play.barge_in').getByRole('button', { name: 'No' }).click();
    await expectSaved(['play: We are open from seven to six.', 'play: { prompt: We are open from seven to six. }']);
  });

  test('changes, swaps, names, adds and removes choices', async () => {
    await open('menu');
    await form().getByRole('button', { name: 'Key 1 for hours' }).press('5');
    await expectSaved(['hours: { dtmf: "1" }', 'hours: { dtmf: "5" }']);
    await form().getByRole('button', { name: 'Key 5 for hours' }).press('2');
    await expectSaved(['hours: { dtmf: "1" }', 'hours: { dtmf: "2" }'], ['talk: { dtmf: "2" }', 'talk: { dtmf: "5" }']);
    await undo();
    await undo();
    const add = form().getByRole('textbox', { name: 'Add to choices' });
    await add.fill('Leave a message');
    await add.press('Enter');
    await form().getByRole('button', { name: 'Key 3 for leave_a_message' }).waitFor();
    await expectSaved(
      ['        talk: { dtmf: "2" }\n', '        talk: { dtmf: "2" }\n        leave_a_message: { dtmf: "3" }\n'],
      ['exhausted: bye }', 'exhausted: bye, leave_a_message: desk }'],
    );
    await form().getByRole('combobox', { name: 'Choice leave_a_message leads to' }).selectOption('thanks');
    await form().getByRole('textbox', { name: 'Name of choice hours' }).fill('times');
    await press('Enter');
    await form().getByRole('button', { name: 'Remove choice talk' }).click();
    await expectSaved(
      ['        hours: { dtmf: "1" }', '        times: { dtmf: "1" }'],
      ['        talk: { dtmf: "2" }\n', '        leave_a_message: { dtmf: "3" }\n'],
      ['{ hours: hours, talk: desk, exhausted: bye }', '{ times: hours, exhausted: bye, leave_a_message: thanks }'],
    );
    await undo();
    await undo();
    await undo();
    await undo();
    await expectSaved();
  });

  test('writes a duration short, below the key that precedes it', async () => {
    await open('menu');
    await form().getByRole('button', { name: /^More/ }).click();
    const wait = field('menu.start_timeout').getByRole('textbox');
    await wait.pressSequentially('1 min 30');
    await expectSaved(['talk: { dtmf: "2" }\n', 'talk: { dtmf: "2" }\n      start_timeout: 1m30s\n']);
    await wait.press('Tab');
    await eventually(() => wait.inputValue()).toBe('1 minute 30 seconds');
    await form().getByText('wait for the first key: 1 minute 30 seconds').waitFor();
    await wait.fill('');
    await expectSaved();
  });

  test('shows the durations of a map that may also be yes or no', async () => {
    writeFileSync(path(), FLOW.replace('ring_timeout: 20s', 'detect_machine: { timeout: 20s }'));
    await open('desk');
    await form().getByRole('button', { name: /^More/ }).click();
    await field('bridge.detect_machine')
      .getByRole('button', { name: /20 seconds$/ })
      .click();
    const wait = field('bridge.detect_machine.timeout').getByRole('textbox');
    await wait.fill('1:30');
    await wait.press('Tab');
    await eventually(() => wait.inputValue()).toBe('1 minute 30 seconds');
    await form()
      .getByRole('button', { name: /^YAML of this step/ })
      .click();
    await form().getByText('detect_machine: { timeout: 1m30s }').waitFor();
  });

  test('stores a telephone number in one form, however it is typed, and shows what is stored', async () => {
    await open('desk');
    const party = field('bridge.to').getByRole('combobox').first();
    await party.fill('0033 (0)1 42-33 44 55');
    await form().getByText('Stored: +33142334455').waitFor();
    await party.press('Tab');
    await eventually(() => party.inputValue()).toBe('+33142334455');
    await expectSaved(['to: "sip:ann@example.com"', 'to: "+33142334455"']);
  });

  test('keeps a number that is out of range in the field, and never in the text', async () => {
    await open('menu');
    await form().getByRole('button', { name: /^More/ }).click();
    const tries = field('menu.attempts').getByRole('textbox');
    await tries.fill('200');
    await form().getByText('Needs a number between 1 and 20').waitFor();
    expect(await tries.getAttribute('aria-invalid')).toBe('true');
    await expectSaved();
    await tries.fill('2');
    await expectSaved(['talk: { dtmf: "2" }\n', 'talk: { dtmf: "2" }\n      attempts: 2\n']);
  });

  test('says errors of the file at their fields, in plain words', async () => {
    const menu = '      prompt: For our hours';
    writeFileSync(path(), FLOW.replace(menu, `      attempts: 200\n      start_timeout: soon\n${menu}`));
    await open('menu');
    await form().getByRole('button', { name: /^More/ }).click();
    await field('menu.attempts').getByText('Needs a number between 1 and 20', { exact: true }).waitFor();
    await field('menu.start_timeout').getByText('A duration, such as 6 seconds or 1 min 30', { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('leads outcomes elsewhere, and back to the default', async () => {
    await open('menu');
    const leads = (outcome: string): Locator => form().getByRole('combobox', { name: `${outcome} leads to` });
    await leads('Something breaks').selectOption('thanks');
    await expectSaved(['exhausted: bye }', 'exhausted: bye, error: thanks }']);
    await leads('Something breaks').selectOption({ label: 'bye · default' });
    await expectSaved();
    await leads('Wrong answers only').selectOption('desk');
    await expectSaved(['exhausted: bye }', 'exhausted: bye, exhausted.no_match: desk }']);
  });

  test('renames the step, and writes its note', async () => {
    await open('hours');
    const name = form().getByRole('textbox', { name: 'Name of the step' });
    await name.fill('opening');
    await name.press('Enter');
    await card('opening').waitFor();
    const note = form().getByRole('textbox', { name: 'Note' });
    await note.fill('Ask Ann about Sundays.');
    await expectSaved(['hours: hours', 'hours: opening'], ['  hours:\n', '  # Ask Ann about Sundays.\n  opening:\n']);
  });

  test('is used with keys alone, and shows the YAML on request', async () => {
    await open();
    await card('welcome').focus();
    await press('Enter');
    await form().locator(':focus').waitFor();
    await page.keyboard.type('Hello there, ');
    await press('Control+s');
    await eventually(saved).toContain('Hello there,');
    await press('Control+.');
    await page.locator('.text-editor .cm-content').waitFor();
    expect(await form().isVisible()).toBe(false);
    await page.reload();
    await page.locator('.text-editor .cm-content').waitFor();
    await press('Control+.');
    await form().waitFor();
  });

  test('simulates from the step, by its button and by a key', async () => {
    await open('hours');
    const phone = page.getByRole('region', { name: 'Telephone' });
    const heard = phone.getByRole('list', { name: 'Conversation' });
    await form().getByRole('button', { name: 'Simulate from here' }).click();
    await heard.getByText('We are open from seven to six.').waitFor();
    await press('Escape');
    await phone.waitFor({ state: 'hidden' });
    await card('hours').focus();
    await press('Control+Shift+F9');
    await heard.getByText('We are open from seven to six.').waitFor();
  });

  test('duplicates, deletes and renames the step, copies its link and shows its help, by a menu and keys alone', async () => {
    await open('hours');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const openMenu = async (): Promise<void> => {
      await form().getByRole('button', { name: 'Actions for this step' }).focus();
      await press('Enter');
      await form().getByRole('button', { name: 'Duplicate' }).waitFor();
    };
    const choose = async (name: RegExp): Promise<void> => {
      await openMenu();
      const wanted = form().locator('.menu').getByRole('button', { name });
      for (let tries = 0; tries < 6 && !(await isFocused(wanted)); tries++) await press('ArrowDown');
      await press('Enter');
    };
    await openMenu();
    expect(await accessibilityProblems(page)).toEqual([]);
    await press('Escape');
    await form().locator('.menu').waitFor({ state: 'hidden' });
    expect(new URL(page.url()).pathname).toBe('/studio/flows/bakery');
    await choose(/^Copy link/);
    await page.getByText('Link to hours copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${service.url}/studio/flows/bakery?step=hours`);
    await choose(/^Duplicate/);
    await card('hours_2').waitFor();
    await choose(/^Delete/);
    await card('hours_2').waitFor({ state: 'detached' });
    await card('hours').click({ position: { x: 40, y: 12 } });
    await choose(/^Rename/);
    await page.keyboard.type('times');
    await press('Enter');
    await card('times').waitFor();
    expect(await page.getByText('There is no step').count()).toBe(0);
    await choose(/^Help/);
    await page
      .getByRole('region', { name: 'Help' })
      .getByRole('heading', { name: /Say or play|play/ })
      .waitFor();
  });

  test('changes the condition of a case, and bounds a loop that a route closes', async () => {
    page = await studio.another();
    page.setDefaultTimeout(15_000);
    const tiers = (): string => readFileSync(join(service.directory, 'flows/tiers.flow.yaml'), 'utf8');
    await page.goto(`${service.url}/studio/flows/tiers?step=pick`);
    await form().getByRole('textbox', { name: 'Condition of case 1: compared with' }).fill('silver');
    await form().getByRole('combobox', { name: 'Condition of case 1: comparison' }).selectOption('is not');
    await form().getByRole('button', { name: '+ Condition' }).click();
    await form().getByRole('textbox', { name: 'Condition of case 1, row 2: compared with' }).fill('lead');
    expect(await accessibilityProblems(page)).toEqual([]);
    await press('Control+s');
    const changed = TIERS.replace("tier = 'gold'", "tier != 'silver' and vars.tier = 'lead'");
    await eventually(tiers).toBe(changed);
    await card('gold').click({ position: { x: 40, y: 12 } });
    await form().getByRole('combobox', { name: 'When it is over leads to' }).selectOption('pick');
    await page
      .getByText(/at most 5 times/)
      .first()
      .waitFor();
    await press('Control+s');
    await eventually(tiers).toContain('max_visits: 5');
  });

  test('shows the flow while no step is selected', async () => {
    await open();
    await form().getByRole('textbox', { name: 'Purpose' }).fill('Answers the phone of the bakery.');
    await form().getByRole('combobox', { name: 'No valid answer leads to' }).selectOption('thanks');
    await expectSaved(
      ['flow: bakery\n', 'flow: bakery\ndoc: Answers the phone of the bakery.\n'],
      ['exits: { error: bye }', 'exits: { error: bye, exhausted: thanks }'],
    );
  });

  test.each(['welcome', 'menu', 'desk', 'bye', undefined])('is accessible in light and in dark: %s', async (step) => {
    await open(step);
    for (const fold of ['More', 'YAML of this step']) {
      const head = form().getByRole('button', { name: new RegExp(`^${fold}`) });
      if ((await head.count()) > 0) await head.click();
    }
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('fills a telephone, without scrolling sideways', async () => {
    await open('menu', '&show=form');
    await page.setViewportSize({ width: 390, height: 844 });
    await field('menu.prompt').getByRole('textbox').fill('Press one or two.');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const box = await form()
      .locator('.form')
      .evaluate((element) => [element.scrollWidth, element.clientWidth]);
    expect(box[0]).toBeLessThanOrEqual(box[1]!);
    expect(await accessibilityProblems(page)).toEqual([]);
  });
});
