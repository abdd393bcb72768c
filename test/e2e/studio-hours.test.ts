/** Opening hours as bars in Chromium, against the started service: by mouse, by keys and in words. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOW = `# The shop.
flow: shop
defaults: { exits: { error: bye }, timezone: Europe/Paris }
schedules:
  office: # ours
    open:
      - { days: mon-fri, from: "09:00", to: "17:00" } # the week
start: now
steps:
  now:
    schedule:
      # As on the door.
      open:
        - days: mon-fri # the week
          from: "09:00"
          to: "17:00"
      holidays: ["2026-12-25"]
    exits: { open: later, closed: bye, holiday: bye }
  later: { schedule: office, exits: { open: bye, closed: bye, holiday: bye } }
  bye: { hangup: normal }
`;

describe.skipIf(browser.missing)(`opening hours in a browser${browser.why}`, { timeout: 90_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;

  const path = (): string => join(service.directory, 'flows/shop.flow.yaml');
  const saved = (): string => readFileSync(path(), 'utf8');
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const form = (): Locator => page.locator('.form-pane');
  const track = (day: string): Locator => form().locator(`[data-day="${day}"] .day-track`);
  const edge = (name: string): Locator => form().getByRole('slider', { name, exact: true });
  const words = (): Locator => form().getByRole('textbox', { name: 'Hours in words' });
  const open = async (step?: string): Promise<void> => {
    page = await studio.another();
    page.setDefaultTimeout(15_000);
    await page.goto(`${service.url}/studio/flows/shop?${step === undefined ? '' : `step=${step}`}`);
    await page.locator('.form-head').first().waitFor({ state: 'attached' });
  };
  const expectSaved = async (...changes: readonly (readonly [before: string, after: string])[]): Promise<void> => {
    const wanted = changes.reduce((text, [before, after]) => text.replace(before, () => after), FLOW);
    if (saved() !== wanted) await page.locator('.actions .primary:enabled').waitFor();
    await page.keyboard.press('Control+s');
    await eventually(saved).toBe(wanted);
  };
  /** Drags on the track of a day, from one hour to another. */
  const drag = async (day: string, from: number, to: number): Promise<void> => {
    const box = (await track(day).boundingBox())!;
    const at = (hour: number): [number, number] => [box.x + (box.width * hour) / 24, box.y + box.height / 2];
    await page.mouse.move(...at(from));
    await page.mouse.down();
    await page.mouse.move(...at((from + to) / 2));
    await page.mouse.move(...at(to));
  };

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-hours-')),
      address: '127.0.0.164',
      numbers: [],
      flows: { 'shop.flow.yaml': FLOW },
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

  test('opens a day, moves an edge and closes a part by mouse, and undo gives the bytes back', async () => {
    await open('now');
    await drag('sat', 10, 14);
    await page.mouse.up();
    const saturday = `          to: "17:00"\n        - { days: sat, from: "10:00", to: "14:00" }\n`;
    await expectSaved([`          to: "17:00"\n`, saturday]);
    await edge('Sat closes').hover();
    await drag('sat', 14, 15.5);
    await page.mouse.up();
    await expectSaved([`          to: "17:00"\n`, saturday.replace('14:00', '15:30')]);
    await form().locator('[data-hours="mon 540"] .day-part').click();
    await expectSaved(
      [`          to: "17:00"\n`, saturday.replace('14:00', '15:30')],
      ['mon-fri # the week\n          from', 'tue-fri # the week\n          from'],
    );
    // A short bar is closed by a click on any part of it.
    await form().locator('[data-hours="sat 600"] [data-edge="from"]').click();
    await edge('Sat opens').waitFor({ state: 'detached' });
    for (let acts = 0; acts < 4; acts++) await page.keyboard.press('Control+z');
    await expectSaved();
  });

  test('gives up a drag by Escape', async () => {
    await open('now');
    await drag('sun', 10, 14);
    await edge('Sun opens').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    await edge('Sun opens').waitFor({ state: 'detached' });
    await expectSaved();
  });

  test('opens, moves, copies and closes by keys alone', async () => {
    await open('now');
    await form().getByRole('button', { name: 'Open Sat' }).press('Enter');
    await eventually(() => edge('Sat opens').evaluate((element) => element.matches(':focus'))).toBe(true);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.press('PageDown');
    await expectSaved([
      `          to: "17:00"\n`,
      `          to: "17:00"\n        - { days: sat, from: "09:30", to: "16:00" }\n`,
    ]);
    expect(await edge('Sat closes').getAttribute('aria-valuetext')).toBe('16:00');
    await page.keyboard.press('Delete');
    await expectSaved();
    await edge('Mon opens').press('ArrowUp');
    await form().getByRole('button', { name: 'Copy Mon to all weekdays' }).press('Enter');
    await expectSaved(['from: "09:00"\n', 'from: "09:15"\n']);
    // Hours that take up those before them keep the focus.
    await words().fill('Mon 9–12, 12:15–17');
    await words().press('Enter');
    await edge('Mon opens').nth(1).press('ArrowLeft');
    await eventually(() => words().inputValue()).toBe('Mon 9–17');
    await eventually(() => edge('Mon opens').evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  test('takes hours in words, and keeps an unknown text in the field', async () => {
    await open('now');
    expect(await words().inputValue()).toBe('Mon–Fri 9–17');
    await words().fill('Mon–Fri 9–18');
    await words().press('Enter');
    await expectSaved(['to: "17:00"\n      holidays', 'to: "18:00"\n      holidays']);
    await words().fill('Mon to whenever');
    await words().press('Enter');
    await form().getByText('Days and times, such as Mon–Fri 9–17; Sat 10–14').waitFor();
    await words().press('Escape');
    await eventually(() => words().inputValue()).toBe('Mon–Fri 9–18');
  });

  test('tells where a moment leads, and names holidays', async () => {
    await open('now');
    await form()
      .getByText(/^Now: (open|closed|holiday), until /)
      .waitFor();
    await form().getByLabel('Test a moment').fill('2026-12-05T10:30');
    await form().getByText('On Saturday 10:30 it leads to: closed → bye').waitFor();
    await form().getByLabel('Test a moment').fill('2026-12-25T10:30');
    await form().getByText('On Friday 10:30 it leads to: holiday → bye').waitFor();
    await form().getByRole('textbox', { name: 'Name of holiday 1' }).fill('Christmas');
    await expectSaved(['["2026-12-25"]', '[{ date: "2026-12-25", name: Christmas }]']);
    const add = form().getByRole('textbox', { name: 'Add to holidays' });
    await add.fill('1.1.2027 New Year');
    await add.press('Enter');
    await expectSaved([
      '["2026-12-25"]',
      '[{ date: "2026-12-25", name: Christmas }, { date: "2027-01-01", name: New Year }]',
    ]);
  });

  test('edits the named hours of the flow, in the form of the flow and in that of their step', async () => {
    await open();
    await form()
      .getByRole('button', { name: /^office/ })
      .click();
    await form().getByText('Used by later').waitFor();
    await edge('Mon closes').press('PageUp');
    await form().getByRole('button', { name: 'Copy Mon to all weekdays' }).click();
    await expectSaved(['to: "17:00" } # the week', 'to: "18:00" } # the week']);
    await page.locator('.card[data-step="later"]').click({ position: { x: 40, y: 12 } });
    await edge('Mon closes').press('PageDown');
    await words().fill('Mon–Fri 9–17');
    await words().press('Enter');
    await expectSaved();
  });

  test.each(['now', 'later', undefined])('is accessible in light and in dark: %s', async (step) => {
    await open(step);
    if (step === undefined)
      await form()
        .getByRole('button', { name: /^office/ })
        .click();
    await words().waitFor();
    if (process.env['SHOT']) await page.screenshot({ path: `/tmp/hours-${step}.png` });
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('fits the screen of a telephone', async () => {
    await open('now');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${service.url}/studio/flows/shop?step=now&show=form`);
    await words().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const box = await form()
      .locator('.form')
      .evaluate((element) => [element.scrollWidth, element.clientWidth]);
    expect(box[0]).toBeLessThanOrEqual(box[1]!);
    if (process.env['SHOT']) await page.screenshot({ path: '/tmp/hours-phone.png' });
  });
});
