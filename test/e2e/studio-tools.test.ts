/** Tools of an AI agent in the form of its step, in Chromium against the started service, by mouse and by keys. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOW = `# The restaurant.
flow: table
defaults: { exits: { error: bye } }
start: talk
steps:
  talk:
    assistant:
      instructions: You answer the telephone of a restaurant.
      tools:
        # A table.
        book: # often
          description: "The caller has chosen a day." # said
          arguments:
            day: { type: string, format: date } # the day
            seat: { type: string, pattern: "^[a-z]$" }
        human: { description: The caller wants a person. }
      lookups:
        free_days:
          description: The free days of a month.
          request: { get: "https://calendar.example/free" } # quick
      limits: { duration: 5m, turns: 30 }
    exits: { book: bye, human: bye, limit: bye } # ways on
  desk: { bridge: "user:desk", exits: { completed: bye, failed: bye } }
  bye: { hangup: normal }
`;

/** Reason why a field of the page is refused. */
const REASON = `document.querySelector('input:invalid')?.validationMessage ?? ''`;

describe.skipIf(browser.missing)(`tools of an agent in a browser${browser.why}`, { timeout: 90_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;

  const path = (): string => join(service.directory, 'flows/table.flow.yaml');
  const saved = (): string => readFileSync(path(), 'utf8');
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const form = (): Locator => page.locator('.form-pane');
  const tool = (name: string): Locator => form().locator(`[data-tool="${name}"]`);
  const add = async (at: Locator, name: string, text: string): Promise<void> => {
    const field = at.getByRole('textbox', { name });
    await field.fill(text);
    await field.press('Enter');
  };
  const undo = async (acts: number): Promise<void> => {
    for (let act = 0; act < acts; act++) await page.keyboard.press('Control+z');
  };
  const expectSaved = async (...changes: readonly (readonly [before: string, after: string])[]): Promise<void> => {
    const wanted = changes.reduce((text, [before, after]) => text.replace(before, () => after), FLOW);
    if (saved() !== wanted) await page.locator('.actions .primary:enabled').waitFor();
    await page.keyboard.press('Control+s');
    await eventually(saved).toBe(wanted);
  };

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-tools-')),
      address: '127.0.0.165',
      numbers: [],
      flows: { 'table.flow.yaml': FLOW },
    });
    studio = await openStudio(service, { width: 1440, height: 1200, column: 'form' });
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
  const open = async (): Promise<void> => {
    page = await studio.another();
    page.setDefaultTimeout(15_000);
    await page.goto(`${service.url}/studio/flows/table?step=talk`);
    await tool('book').waitFor();
  };

  test('adds, leads, renames, moves and removes a tool, and undo gives the bytes back', async () => {
    await open();
    await add(form(), 'Add to tools', 'Take a message');
    await tool('take_a_message').waitFor();
    await form().getByRole('combobox', { name: 'take_a_message leads to' }).selectOption('desk');
    await tool('take_a_message').getByRole('textbox', { name: 'When the agent uses it' }).fill('Nobody can help.');
    const made = `wants a person. }\n        take_a_message: { description: "Nobody can help." }\n`;
    const exits = 'limit: bye, take_a_message: desk }';
    await expectSaved(['wants a person. }\n', made], ['limit: bye }', exits]);
    const name = tool('take_a_message').getByRole('textbox', { name: 'Name take_a_message' });
    await name.fill('message');
    await name.press('Enter');
    await tool('message').getByRole('button', { name: 'Move message up' }).click();
    await eventually(() => form().locator('[data-tool]').nth(1).getAttribute('data-tool')).toBe('message');
    await tool('message').getByRole('textbox', { name: 'Name message' }).press('Alt+ArrowUp');
    await eventually(() => form().locator('[data-tool]').first().getAttribute('data-tool')).toBe('message');
    await form().getByRole('button', { name: 'Remove message' }).click();
    await tool('message').waitFor({ state: 'detached' });
    await expectSaved();
    await undo(7);
    await expectSaved();
  });

  test('changes what the agent says with a tool, and leaves an unknown schema to YAML', async () => {
    await open();
    await add(tool('book'), 'Add to arguments of book', 'guests');
    await form().getByRole('combobox', { name: 'Kind of guests' }).selectOption('Whole number');
    await form().getByRole('checkbox', { name: 'guests is needed' }).uncheck();
    await form().getByRole('textbox', { name: 'guests otherwise' }).fill('2');
    await form().getByRole('combobox', { name: 'Kind of day' }).selectOption('One of some words');
    await form().getByRole('textbox', { name: 'Words of day, separated by commas' }).fill('today, tomorrow');
    const seat = 'seat: { type: string, pattern: "^[a-z]$" }\n';
    await expectSaved(
      ['day: { type: string, format: date }', 'day: { type: string, enum: [today, tomorrow] }'],
      [seat, `${seat}            guests: { type: integer, default: 2 }\n`],
    );
    expect(await form().getByRole('textbox', { name: 'Schema of seat' }).inputValue()).toBe(
      '{ type: string, pattern: "^[a-z]$" }',
    );
    await undo(6);
    await expectSaved();
  });

  test('edits the request of a lookup, and says the limits in words', async () => {
    await open();
    await form().getByRole('button', { name: /^More/ }).click();
    await form()
      .getByRole('button', { name: 'Limits: Longest conversation: 5 minutes · Most turns of the caller: 30' })
      .waitFor();
    await tool('free_days')
      .getByRole('button', { name: /^Request/ })
      .click();
    await tool('free_days').getByRole('combobox', { name: 'Method' }).selectOption('POST');
    await tool('free_days').getByRole('textbox', { name: 'Longest wait' }).fill('3 seconds');
    await add(form(), 'Add to lookups', 'Menu of the day https://shop.example/menu');
    await expectSaved([
      '{ get: "https://calendar.example/free" } # quick\n',
      '{ post: "https://calendar.example/free", timeout: 3s } # quick\n        menu_of_the_day: { description: "[What does the agent learn from it?]", request: { get: "https://shop.example/menu" } }\n',
    ]);
    await add(form(), 'Add to lookups', 'Prices');
    await eventually(() => page.evaluate(REASON)).toMatch(/^A name and an address/);
  });

  test('is accessible in light and in dark, and fits the screen of a telephone', async () => {
    await open();
    await form().getByRole('button', { name: /^More/ }).click();
    if (process.env['SHOT']) await page.screenshot({ path: '/tmp/tools.png' });
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${service.url}/studio/flows/table?step=talk&show=form`);
    await tool('book').waitFor();
    const box = await form()
      .locator('.form')
      .evaluate((element) => [element.scrollWidth, element.clientWidth]);
    expect(box[0]).toBeLessThanOrEqual(box[1]!);
    if (process.env['SHOT']) await page.screenshot({ path: '/tmp/tools-phone.png' });
  });
});
