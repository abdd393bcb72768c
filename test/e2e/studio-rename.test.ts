/** Renames of variables, inputs and choices in Chromium, against the started service: the flow, its tests, its callers. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOWS = {
  'shop.flow.yaml': `flow: shop
input: { who: { type: string, default: Ann } } # the caller
vars: { kind: { type: string, default: bread } }
defaults: { exits: { error: bye } }
start: ask
steps:
  ask: { set: { kind: "\${ input.who }" }, next: menu }
  menu:
    menu:
      prompt: "Press 1 for \${ vars.kind }."
      choices:
        hours: { dtmf: "1" }
    exits: { hours: bye, exhausted: bye }
  bye: { play: "Goodbye, \${ input.who }.", next: end }
  end: { hangup: normal }
`,
  'door.flow.yaml': `flow: door
defaults: { exits: { error: end } }
start: call
steps:
  call: { subflow: { flow: shop, input: { who: Bea } }, next: end }
  end: { hangup: normal }
`,
  'desk.flow.yaml': `flow: desk
defaults: { exits: { error: end } }
start: hours
schedules: { office: { open: [{ days: [mon, tue, wed, thu, fri], from: "09:00", to: "17:00" }] } }
flows:
  ask:
    start: say
    steps:
      say: { play: Hello there, exits: { error: $end }, next: done }
      done: { return: done }
steps:
  hours: { schedule: office, section: Front, exits: { open: call, closed: end, holiday: end } }
  call: { subflow: ask, section: Front, next: end }
  end: { hangup: normal }
`,
  'desk.test.yaml': `test: it asks
flow: desk
at: 2026-03-02T12:00:00+01:00
expect: { path: [hours, call, desk/ask/say, desk/ask/done, end] }
`,
  'lift.flow.yaml': `flow: lift
defaults: { exits: { error: end } }
start: go
steps:
  go: { subflow: desk/ask, next: end }
  end: { hangup: normal }
`,
  'shop.test.yaml': `name: it says the hours
flow: shop
input: { who: Cem }
script:
  - hear: Press 1
  - press: "1"
expect:
  outcomes: { menu: hours }
  vars: { kind: Cem }
`,
};
type File = keyof typeof FLOWS;

describe.skipIf(browser.missing)(`renames in a browser${browser.why}`, { timeout: 90_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;

  const saved = (file: File): string => readFileSync(join(service.directory, 'flows', file), 'utf8');
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const field = (name: string) => page.locator('.form-pane').getByRole('textbox', { name, exact: true });
  const save = async (): Promise<void> => {
    await page.locator('.actions .primary:enabled').waitFor();
    await press('Control+s');
  };

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-rename-')),
      address: '127.0.0.139',
      numbers: [],
      flows: FLOWS,
    });
    studio = await openStudio(service, { width: 1440, height: 900, column: 'form' });
  }, 90_000);
  beforeEach(async () => {
    page = await studio.another();
    page.setDefaultTimeout(15_000);
  });
  afterEach(async () => {
    await page.close({ runBeforeUnload: false });
    expect(studio.problems.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('renames an input from its row by F2: flow, test and caller', async () => {
    await page.goto(`${service.url}/studio/flows/shop`);
    await field('Name who').focus();
    await page.getByRole('status').getByText('5 places in 3 files').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await press('F2');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('5 places in 3 files').waitFor();
    await dialog.getByRole('textbox').fill('kind-of');
    await dialog.getByText('Letters, digits and _, and no digit first').waitFor();
    await dialog.getByRole('textbox').fill('guest');
    await press('Enter');
    await field('Name guest').waitFor();
    const reads = (name: string) => page.locator('.card').getByText(`Goodbye, \${ input.${name} }.`).waitFor();
    await press('Control+z');
    await reads('who');
    await press('Control+y');
    await reads('guest');
    await save();
    const renamed = (file: File): string => FLOWS[file].replaceAll(/\bwho\b/g, 'guest');
    await eventually(() => saved('door.flow.yaml')).toBe(renamed('door.flow.yaml'));
    expect(saved('shop.flow.yaml')).toBe(renamed('shop.flow.yaml'));
    expect(saved('shop.test.yaml')).toBe(renamed('shop.test.yaml'));
  });

  test('renames a variable where a step sets it, and a choice, also in the test', async () => {
    await page.goto(`${service.url}/studio/flows/shop?step=ask`);
    const [flow, tests] = [saved('shop.flow.yaml'), saved('shop.test.yaml')];
    await field('Name kind').focus();
    await page.getByRole('status').getByText('4 places in 2 files').waitFor();
    await field('Name kind').fill('order');
    await press('Enter');
    await field('Name order').and(page.locator(':focus')).waitFor();
    await page.locator('.card[data-step="menu"]').click({ position: { x: 40, y: 12 } });
    await field('Name of choice hours').fill('times');
    await press('Enter');
    await field('Name of choice times').and(page.locator(':focus')).waitFor();
    await save();
    await eventually(() => saved('shop.test.yaml')).toBe(
      tests.replace('menu: hours', 'menu: times').replace('kind:', 'order:'),
    );
    expect(saved('shop.flow.yaml')).toBe(flow.replaceAll(/\bkind\b/g, 'order').replaceAll(/\bhours:/g, 'times:'));
  });

  test('renames a sub-flow, a schedule, a section and a step of the sub-flow, in all files at once', async () => {
    await page.goto(`${service.url}/studio/flows/desk`);
    await field('Name ask').focus();
    await page.getByRole('status').getByText('5 places in 3 files').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await field('Name ask').fill('greet');
    await press('Enter');
    await field('Name greet').and(page.locator(':focus')).waitFor();
    await field('Name office').fill('weekdays');
    await press('Enter');
    await field('Name weekdays').and(page.locator(':focus')).waitFor();
    await page.locator('.card[data-step="hours"]').click({ position: { x: 40, y: 12 } });
    await page.locator('.card[data-step="call"]').click({ position: { x: 40, y: 12 }, modifiers: ['Shift'] });
    await press('F2');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 places in 1 file').waitFor();
    await dialog.getByRole('textbox').fill('Reception');
    await press('Enter');
    await page.locator('.group-frame button', { hasText: 'Reception' }).first().waitFor();
    await save();
    const renamed = (file: File): string =>
      FLOWS[file]
        .replace('  ask:', '  greet:')
        .replaceAll('desk/ask', 'desk/greet')
        .replace('subflow: ask', 'subflow: greet')
        .replaceAll('office', 'weekdays')
        .replaceAll('Front', 'Reception');
    await eventually(() => saved('desk.flow.yaml')).toBe(renamed('desk.flow.yaml'));
    expect(saved('desk.test.yaml')).toBe(renamed('desk.test.yaml'));
    expect(saved('lift.flow.yaml')).toBe(renamed('lift.flow.yaml'));
    await press('Control+.');
    await page.locator('.text-editor .cm-content').focus();
    await press('Control+Home', 'Control+f');
    await page.keyboard.type('start: say');
    await press('Enter', 'Escape', 'ArrowRight', 'F2');
    await dialog.getByText('3 places in 2 files').waitFor();
    await dialog.getByRole('textbox').fill('speak');
    await press('Enter');
    await save();
    await eventually(() => saved('desk.test.yaml')).toBe(renamed('desk.test.yaml').replace('greet/say', 'greet/speak'));
    expect(saved('desk.flow.yaml')).toContain('start: speak');
    await press('Control+.');
  });

  test('renames a variable from the YAML by F2', async () => {
    await page.goto(`${service.url}/studio/flows/shop?step=ask`);
    await page.locator('.form-head').first().waitFor({ state: 'attached' });
    await press('Control+.');
    const flow = saved('shop.flow.yaml');
    const variable = /vars: \{ (\w+):/.exec(flow)![1]!;
    await page.locator('.text-editor .cm-content').focus();
    await press('Control+Home', 'Control+f');
    await page.keyboard.type(`vars.${variable}`);
    await press('Enter', 'Escape', 'ArrowRight');
    await press('F2');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('4 places in 2 files').waitFor();
    await dialog.getByRole('textbox').fill('goods');
    await press('Enter');
    await page.locator('.cm-line', { hasText: 'vars.goods' }).waitFor();
    await save();
    await eventually(() => saved('shop.test.yaml')).toContain('vars: { goods: Cem }');
    expect(saved('shop.flow.yaml')).toBe(flow.replaceAll(new RegExp(`\\b${variable}\\b`, 'g'), 'goods'));
  });
});
