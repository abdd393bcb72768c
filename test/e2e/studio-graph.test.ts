/**
 * Search in the graph, routes into folded groups, groups that move as a whole, and notes of the flow and of routes. In
 * Chromium, against the started service.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const DESK = `# yaml-language-server: $schema=../flow.schema.json
# **Front desk** for callers of the day.
#
# - the desk answers
# - nobody waits
flow: desk
defaults: { exits: { error: bye, failed: bye } }
start: hello
steps:
  hello:
    play: Welcome to our desk.
    next: ask # everybody
  ask:
    menu: { prompt: For hours press 1., choices: { hours: { dtmf: "1" }, orders: { dtmf: "2" } } }
    exits:
      hours: opening # most callers
      orders: look_up
      exhausted: bye
  opening: { section: Information, play: We are open at five., next: sundays }
  # Checked every year.
  sundays: { section: Information, play: Not on Sundays., next: bye }
  look_up:
    request: { get: https://crm.example.com/orders, timeout: 8s }
    next: bye
  bye: { hangup: normal }
`;

describe.skipIf(browser.missing)(`graph of a flow in a browser${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;
  const opened: Page[] = [];

  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const card = (step: string): Locator => page.locator(`.card[data-step="${step}"]`);
  const text = async (): Promise<string> =>
    (await page.locator('.text-editor .cm-content').innerText()).replace(/\n+$/, '\n');
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const said = (): Promise<string | null> => page.locator('.canvas > [aria-live]').textContent();
  const edit = async (scheme: 'light' | 'dark' = 'light'): Promise<void> => {
    page = await studio.another();
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width: 1600, height: 900 });
    page.setDefaultTimeout(15_000);
    opened.push(page);
    await page.goto(`${service.url}/studio/flows/desk`);
    await page.locator('.card').first().waitFor();
    await page.locator('.cm-content').waitFor();
  };
  const foldInformation = async (): Promise<void> => {
    await card('opening').click();
    await press('f');
    await card('sundays').waitFor({ state: 'detached' });
  };

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-graph-')),
      address: '127.0.0.194',
      numbers: [{ number: '1000', flow: 'desk' }],
      flows: { 'desk.flow.yaml': DESK },
    });
    studio = await openStudio(service);
  }, 90_000);
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close({ runBeforeUnload: false });
    writeFileSync(join(service.directory, 'flows/desk.flow.yaml'), DESK);
    expect(studio.problems.splice(0).filter((line) => !/status of (409|412|422)/.test(line))).toEqual([]);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  describe('search', () => {
    const field = (): Locator => page.getByRole('combobox', { name: 'Find steps' });
    const hits = (): Promise<string[]> => page.locator('.graph-search li b').allTextContents();
    const dimmed = (): Promise<string[]> =>
      page.locator('.card.dim').evaluateAll((cards) => cards.map((each) => each.getAttribute('data-step')!).sort());

    test.each(['light', 'dark'] as const)(
      'lists hits and dims other steps, without findings of axe (%s)',
      async (scheme) => {
        await edit(scheme);
        await card('hello').click();
        await press('Control+f');
        await field().fill('verb:play');
        await eventually(hits).toEqual(['hello', 'opening', 'sundays']);
        expect(await dimmed()).toEqual(['ask', 'bye', 'look_up']);
        expect(await accessibilityProblems(page)).toEqual([]);
        await field().fill('verb:request timeout>5s');
        await eventually(hits).toEqual(['look_up']);
        await field().fill('has:note');
        await eventually(hits).toEqual(['sundays']);
        await field().fill('colour>5');
        await eventually(() => page.locator('#graph-search-said').textContent()).toMatch(
          /^No step has the property colour\. Understood are words, verb:request/,
        );
        expect(await dimmed()).toEqual([]);
      },
    );

    test('goes through the hits by Enter and F3, and ends by Escape', async () => {
      await edit();
      await card('bye').click();
      await press('Control+f');
      await field().fill('verb:play');
      await eventually(hits).toHaveLength(3);
      await press('Enter');
      await eventually(() => card('hello').getAttribute('aria-current')).toBe('true');
      await press('F3');
      await eventually(() => card('opening').getAttribute('aria-current')).toBe('true');
      await press('Shift+Enter', 'Shift+F3');
      await eventually(() => card('sundays').getAttribute('aria-current')).toBe('true');
      expect(await page.locator('#graph-search-said').textContent()).toBe('3 of 3');
      await press('Escape');
      await field().waitFor({ state: 'detached' });
      expect(await dimmed()).toEqual([]);
      await eventually(() => page.evaluate("document.activeElement?.getAttribute('data-step')")).toBe('sundays');
    });

    test('counts the hits in a folded group, and unfolds it for one of them', async () => {
      await edit();
      await foldInformation();
      await press('Control+f');
      await field().fill('play Sundays');
      await eventually(() => card('opening').locator('.found-count').textContent()).toBe('1');
      await press('Enter');
      await eventually(() => card('sundays').getAttribute('aria-current')).toBe('true');
    });
  });

  describe('a folded group', () => {
    test('shows the sources of its routes, with a path for each, and opens by Enter', async () => {
      await edit();
      await foldInformation();
      const stub = card('opening').locator('.way-in');
      expect(await stub.allInnerTexts()).toEqual(['from ask\n1']);
      expect(await stub.getAttribute('title')).toBe('ask: hours → opening');
      expect(await card('opening').getAttribute('aria-label')).toContain('Routes in: ask, 1');
      await stub.hover();
      await page.locator('.card.pointed[data-step=ask]').waitFor();
      await page.mouse.move(5, 5);
      await page.locator('.card.pointed').waitFor({ state: 'detached' });
      await press('t');
      await eventually(said).toBe('Route in 1 of 1, from ask: ask: hours → opening');
      expect(await page.locator('.card.pointed').getAttribute('data-step')).toBe('ask');
      expect(await accessibilityProblems(page)).toEqual([]);
      await press('Escape');
      await page.locator('.card.pointed').waitFor({ state: 'detached' });
      await press('Enter');
      await page.locator('.canvas-trail').getByText('Information').waitFor();
      await press('Escape');
      await eventually(() => page.locator('.canvas-trail').count()).toBe(0);
      await press('t', 'ArrowLeft');
      await eventually(() => card('ask').getAttribute('aria-current')).toBe('true');
    });

    test('moves as a whole to a line, by mouse and by letters, and comes back by one undo', async () => {
      await edit();
      await foldInformation();
      const before = await text();
      const head = (await card('opening').locator('header').boundingBox())!;
      const port = (await card('hello').locator('.port').boundingBox())!;
      await page.mouse.move(head.x + 60, head.y + head.height / 2);
      await page.mouse.down();
      await page.mouse.move(port.x + 22, port.y + port.height / 2, { steps: 6 });
      await eventually(() => page.locator('.lifted-card').innerText()).toContain('Information · 2 steps');
      await page.mouse.up();
      await eventually(text).toContain('next: opening # everybody');
      expect(await text()).toContain('play: Not on Sundays., next: ask }');
      expect(await text()).toContain('hours: bye # most callers');
      await press('Control+z');
      await eventually(text).toBe(before);

      await card('opening').click();
      await press('m');
      const letters = page.locator('.line-hint').first();
      const letter = (await letters.innerText()).trim();
      await press(...letter);
      await eventually(text).toContain('next: opening # everybody');
    });

    test('is refused in words with several routes out', async () => {
      writeFileSync(
        join(service.directory, 'flows/desk.flow.yaml'),
        DESK.replace('play: We are open at five., next: sundays', 'play: We are open at five., next: look_up'),
      );
      await edit();
      await foldInformation();
      await press('m', 'a');
      await page.getByText('Routes lead to').or(page.getByText('The steps lead to')).first().waitFor();
    });
  });

  describe('notes', () => {
    const answer = async (note: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Note' }).fill(note);
      await page.getByRole('button', { name: 'Write' }).click();
    };

    test.each(['light', 'dark'] as const)(
      'shows the note of the flow above the graph and changes it in place, without findings of axe (%s)',
      async (scheme) => {
        await edit(scheme);
        const note = page.getByRole('region', { name: 'Note of the flow' });
        await note.getByRole('button', { name: 'More' }).click();
        expect(await note.locator('li').allTextContents()).toEqual(['the desk answers', 'nobody waits']);
        expect(await accessibilityProblems(page)).toEqual([]);
        const before = await text();
        await note.getByRole('button', { name: 'Change the note of the flow' }).click();
        await answer('**Front desk** for callers of the day.\n\n- the desk answers at once\n- nobody waits');
        await eventually(text).toBe(before.replace('# - the desk answers\n', '# - the desk answers at once\n'));
        await page.locator('.canvas').click({ position: { x: 600, y: 700 } });
        await press('Control+z');
        await eventually(text).toBe(before);
        await press('g', 'n');
        await answer('');
        await eventually(text).toMatch(/^# yaml-language-server: [^\n]+\nflow: desk\n/);
        await note.waitFor({ state: 'detached' });
      },
    );

    test('shows notes of routes beside their labels, and writes them at their lines', async () => {
      await edit();
      expect(await card('ask').locator('.way-note').allTextContents()).toEqual(['most callers']);
      expect(await card('hello').locator('.way-note').textContent()).toBe('everybody');
      await card('ask').locator('.way-note').click();
      await answer('nearly everybody');
      await eventually(text).toContain('hours: opening # nearly everybody\n');
      await card('ask').locator('header').click();
      await press('ArrowDown', 'Shift+N');
      await answer('since May');
      await eventually(text).toContain('orders: look_up # since May\n');
      await press('ArrowUp');
      await eventually(said).toBe('hours to opening. note: nearly everybody');
    });
  });
});
