/** New steps on the graph in Chromium: the ghost card of the marked step, and steps dragged from the list to the graph. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

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

type Point = readonly [x: number, y: number];

describe.skipIf(browser.missing)(`new steps on the graph${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;

  const path = (): string => join(service.directory, 'flows/shop.flow.yaml');
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const card = (step: string): Locator => page.locator(`.card[data-step="${step}"]`);
  const ghost = (): Locator => page.locator('.ghost-card');
  const picker = (): Locator => page.locator('dialog.step-picker');
  const option = (name: RegExp): Locator => picker().getByRole('option', { name }).first();
  const targets = (): Locator => page.locator('.canvas [data-drop]');
  const textNow = (): Promise<string> => page.locator('.text-editor .cm-content').innerText();
  const open = async (width = 1440, height = 900): Promise<void> => {
    page = await studio.another();
    await page.setViewportSize({ width, height });
    page.setDefaultTimeout(15_000);
    await page.goto(`${service.url}/studio/flows/shop`);
    await page.locator('.card, .outline-step').first().waitFor();
  };
  /** Opens the list at an exit, with the ghost of its first step. */
  const openList = async (step: string, outcome: string): Promise<void> => {
    await card(step).hover();
    await card(step).locator(`.plus[data-add="${outcome}"]`).click();
    await picker().waitFor();
    await ghost().waitFor();
  };
  const middleOf = async (at: Locator): Promise<Point> => {
    const { x, y, width, height } = (await at.boundingBox())!;
    return [x + width / 2, y + height / 2];
  };
  /** Middle of the line between two cards of a row, without the ghost. */
  const lineBetween = async (from: string, to: string): Promise<Point> => {
    const [one, other] = [(await card(from).boundingBox())!, (await card(to).boundingBox())!];
    return [(one.x + one.width + other.x) / 2, one.y + 19];
  };
  /** Waits until the cards do not glide any more. */
  const hasItsPlaces = (): Promise<void> => eventually(() => page.locator('.layer.glide').count()).toBe(0);
  /** Takes a step of the list with the mouse, and waits until the graph has its places again. */
  const take = async (name: RegExp): Promise<void> => {
    await option(name).hover();
    const [x, y] = await middleOf(option(name));
    await page.mouse.down();
    await page.mouse.move(x + 40, y + 10, { steps: 4 });
    await ghost().waitFor({ state: 'detached' });
    await hasItsPlaces();
  };
  const moveTo = ([x, y]: Point): Promise<void> => page.mouse.move(x, y, { steps: 5 });
  const saved = (): Record<string, unknown> => parse(readFileSync(path(), 'utf8'));

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-new-steps-')),
      address: '127.0.0.230',
      numbers: [],
      flows: { 'shop.flow.yaml': SHOP },
    });
    studio = await openStudio(service);
  }, 90_000);
  afterEach(async () => {
    await page.close({ runBeforeUnload: false });
    writeFileSync(path(), SHOP);
    expect(studio.problems.splice(0).filter((line) => !/status of (409|412|422)/.test(line))).toEqual([]);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('draws the marked step between two steps while the list is open, without changing the text', async () => {
    await open();
    const before = await textNow();
    await card('hello').focus();
    await page.keyboard.press('a');
    await ghost().waitFor();
    const first = await ghost().innerText();
    await page.keyboard.press('ArrowDown');
    await eventually(() => ghost().innerText()).not.toBe(first);
    await page.keyboard.type('hours');
    await eventually(() => ghost().innerText()).toContain('Opening hours');
    const boxes = await Promise.all([card('hello'), ghost(), card('ask')].map((at) => at.boundingBox()));
    expect(boxes.map((box) => box!.x)).toEqual(boxes.map((box) => box!.x).toSorted((one, other) => one - other));
    const list = (await picker().boundingBox())!;
    expect(list.y).toBeGreaterThan(boxes[1]!.y + boxes[1]!.height);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await ghost().waitFor({ state: 'detached' });
    expect(await textNow()).toBe(before);
  });

  test('draws the marked step at the + of a line, and puts the chosen step in its place', async () => {
    await open();
    await page.mouse.move(...(await lineBetween('hello', 'ask')));
    await page.getByRole('button', { name: 'Add a step between hello and ask' }).click();
    await ghost().waitFor();
    const place = (await ghost().boundingBox())!;
    await option(/^Say or play/).click();
    await card('play').waitFor();
    expect(await ghost().count()).toBe(0);
    expect((await card('play').boundingBox())!.x).toBeCloseTo(place.x, 0);
  });

  test('inserts a step that is dragged onto a line', async () => {
    await open();
    await openList('ask', 'cake');
    await take(/^Say or play/);
    await moveTo(await lineBetween('hello', 'ask'));
    await page.locator('.wire.chosen').waitFor({ state: 'attached' });
    await page.mouse.up();
    await card('play').waitFor();
    await page.keyboard.press('Control+s');
    await eventually(saved).toMatchObject({
      steps: { hello: { next: 'play' }, play: { next: 'ask' }, ask: { exits: { cake: '$end' } } },
    });
  });

  test.each([
    ['a dot', '[data-exit="bread"] .port', { bread: 'play', cake: '$end' }],
    ['a loose end', '.plus[data-add="cake"]', { bread: 'bye', cake: 'play' }],
    ['a card', 'header', { bread: 'play', cake: '$end' }],
  ])('inserts a step that is dragged onto %s', async (_, place, exits) => {
    await open();
    await openList('hello', 'done');
    await take(/^Say or play/);
    await moveTo(await middleOf(card('ask').locator(place)));
    await eventually(() => targets().count()).toBeGreaterThan(0);
    await page.mouse.up();
    await card('play').waitFor();
    await page.keyboard.press('Control+s');
    await eventually(saved).toMatchObject({ steps: { ask: { exits } } });
  });

  test('asks after the drop for what cannot be invented', async () => {
    await open();
    await openList('ask', 'cake');
    await page.keyboard.type('connect to');
    await take(/^Connect/);
    await moveTo(await lineBetween('hello', 'ask'));
    await page.mouse.up();
    await picker().getByLabel('Whom to call?').fill('user:bob');
    await page.keyboard.press('Enter');
    await card('bridge').waitFor();
    await page.keyboard.press('Control+s');
    await eventually(saved).toMatchObject({ steps: { hello: { next: 'bridge' }, bridge: { next: 'ask' } } });
  });

  test('changes nothing after a drop elsewhere, and on Escape', async () => {
    await open();
    const before = await textNow();
    await openList('ask', 'cake');
    await take(/^Say or play/);
    const { x, y } = (await page.locator('.canvas').boundingBox())!;
    await moveTo([x + 60, y + 700]);
    expect(await targets().count()).toBe(0);
    await page.mouse.up();
    await ghost().waitFor();
    await take(/^Say or play/);
    await moveTo(await lineBetween('hello', 'ask'));
    await page.keyboard.press('Escape');
    await ghost().waitFor();
    await page.mouse.up();
    expect(await picker().isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await picker().waitFor({ state: 'detached' });
    expect(await textNow()).toBe(before);
  });

  const touch = (cdp: CDPSession, type: 'touchStart' | 'touchMove' | 'touchEnd', at?: Point): Promise<unknown> =>
    cdp.send('Input.dispatchTouchEvent', { type, touchPoints: at === undefined ? [] : [{ x: at[0], y: at[1] }] });

  test('drags a step by touch after a long press, and scrolls the list before it', async () => {
    await open();
    const cdp = await page.context().newCDPSession(page);
    await openList('ask', 'cake');
    const [x, y] = await middleOf(option(/^Say or play/));
    await touch(cdp, 'touchStart', [x, y]);
    await page.locator('.dragged-step').waitFor();
    await hasItsPlaces();
    const line = await lineBetween('hello', 'ask');
    for (const part of [0.3, 0.6, 1])
      await touch(cdp, 'touchMove', [x + (line[0] - x) * part, y + (line[1] - y) * part]);
    await page.locator('.wire.chosen').waitFor({ state: 'attached' });
    await touch(cdp, 'touchEnd');
    await card('play').waitFor();
    await eventually(textNow).toMatch(/hello: \{.*next: play \}/);
    await openList('ask', 'cake');
    const [left, top] = await middleOf(option(/^Say or play/));
    await touch(cdp, 'touchStart', [left, top]);
    for (const up of [30, 60, 90, 120]) await touch(cdp, 'touchMove', [left, top - up]);
    await touch(cdp, 'touchEnd');
    await eventually(() =>
      picker()
        .locator('.picker-list')
        .evaluate(({ scrollTop }: { scrollTop: number }) => scrollTop),
    ).toBeGreaterThan(20);
    expect(await page.locator('.dragged-step').count()).toBe(0);
  });
});
