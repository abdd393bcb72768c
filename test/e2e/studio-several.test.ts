/**
 * Several steps of a flow at once: selected by mouse, by keys and by touch, then deleted, copied, moved and grouped. In
 * Chromium, against the started service.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';
import { SHOP } from './shop-flow.ts';

describe.skipIf(browser.missing)(`several steps in a browser${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;
  const opened: Page[] = [];

  const path = (flow: string): string => join(service.directory, `flows/${flow}.flow.yaml`);
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const card = (step: string): Locator => page.locator(`.card[data-step="${step}"]`);
  const selected = (): Promise<string[]> =>
    page.locator('.card.selected').evaluateAll((cards) => cards.map((each) => each.getAttribute('data-step')!).sort());
  const text = async (): Promise<string> =>
    (await page.locator('.text-editor .cm-content').innerText()).replace(/\n+$/, '\n');
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const edit = async (flow: string, size = { width: 1440, height: 900 }): Promise<void> => {
    page = await studio.another();
    await page.setViewportSize(size);
    page.setDefaultTimeout(15_000);
    opened.push(page);
    await page.goto(`${service.url}/studio/flows/${flow}`);
    await page.locator('.card, .outline-step').first().waitFor();
  };

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-several-')),
      address: '127.0.0.219',
      numbers: [{ number: '1000', flow: 'shop' }],
      flows: { 'shop.flow.yaml': SHOP },
    });
    studio = await openStudio(service);
  }, 90_000);
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close({ runBeforeUnload: false });
    writeFileSync(path('shop'), SHOP);
    expect(studio.problems.splice(0).filter((line) => !/status of (409|412|422)/.test(line))).toEqual([]);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('selects by clicks, by a rectangle and none of it by a plain click', async () => {
    await edit('shop');
    await card('hello').click();
    await card('ask')
      .locator('header')
      .click({ modifiers: ['Shift'] });
    await card('bread')
      .locator('header')
      .click({ modifiers: ['Control'] });
    await eventually(selected).toEqual(['ask', 'bread', 'hello']);
    expect(await page.getByText('3 steps selected').first().isVisible()).toBe(true);
    expect(await page.locator('.canvas [aria-live]').textContent()).toBe('3 steps selected');
    expect(await card('hello').getAttribute('aria-label')).toContain(', selected');
    expect(await card('bye').getAttribute('aria-label')).not.toContain(', selected');
    expect(await accessibilityProblems(page)).toEqual([]);
    await card('ask')
      .locator('header')
      .click({ modifiers: ['Control'] });
    await eventually(selected).toEqual(['bread', 'hello']);
    await card('cake').locator('header').click();
    await eventually(selected).toEqual(['cake']);
    expect(await card('cake').getAttribute('aria-label')).not.toContain(', selected');

    const [bread, cake] = [(await card('bread').boundingBox())!, (await card('cake').boundingBox())!];
    const [top, bottom] = [Math.min(bread.y, cake.y), Math.max(bread.y + bread.height, cake.y + cake.height)];
    await page.mouse.move(bread.x + bread.width - 40, bottom + 60);
    await page.mouse.down();
    await page.mouse.move(bread.x - 8, top - 8, { steps: 4 });
    expect(await page.locator('.marquee').count()).toBe(1);
    await page.mouse.up();
    await eventually(selected).toEqual(['bread', 'cake']);
    expect(await page.locator('.marquee').count()).toBe(0);
    await page.mouse.click(bread.x + 20, bottom + 90);
    await eventually(async () => (await selected()).length).toBe(1);
  });

  test('selects by keys, and marks the lines of all selected steps in the text', async () => {
    await edit('shop');
    await card('hello').click();
    await press('Shift+ArrowRight');
    await eventually(selected).toEqual(['ask', 'hello']);
    await eventually(() => page.locator('.cm-step').count()).toBe(4);
    await press('Control+ArrowRight', 'Control+ArrowDown');
    await eventually(selected).toEqual(['ask', 'hello']);
    await press('Control+Space');
    await eventually(selected).toEqual(['ask', 'cake', 'hello']);
    await press('Control+a');
    await eventually(async () => (await selected()).length).toBe(5);
    await press('Escape');
    await eventually(selected).toEqual(['cake']);
    await press('o');
    const marked = (): Promise<number> => page.locator('[role=treeitem][aria-selected=true]').count();
    await page.locator('.outline-step').first().click();
    await press('Shift+ArrowDown', 'Shift+ArrowDown');
    await eventually(marked).toBe(3);
    expect(page.url()).toContain('/flows/shop');
    await press('Escape');
    await eventually(marked).toBe(1);
    expect(page.url()).toContain('/flows/shop');
  });

  test('selects on a touch screen by a long press, then by taps', async () => {
    await edit('shop');
    const cdp = await page.context().newCDPSession(page);
    const touch = async (step: string, isLong = false): Promise<void> => {
      const box = (await card(step).boundingBox())!;
      await cdp.send('Input.dispatchTouchEvent', {
        type: 'touchStart',
        touchPoints: [{ x: box.x + 60, y: box.y + 18 }],
      });
      if (isLong) await eventually(selected).toContain(step);
      await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await touch('ask', true);
    await touch('bread');
    await eventually(selected).toEqual(['ask', 'bread']);
    await touch('cake');
    await eventually(selected).toEqual(['ask', 'bread', 'cake']);
    await page.getByRole('button', { name: 'Select one step again' }).click();
    await eventually(async () => (await selected()).length).toBe(1);
  });

  test('asks where the routes to a deleted menu lead, and deletes what is lost by choice', async () => {
    await edit('shop');
    await card('ask').locator('header').click();
    await press('x');
    const strip = page.locator('.act-strip');
    await strip.getByRole('radio', { name: 'bread' }).waitFor();
    expect(await strip.getByRole('radio').count()).toBe(3);
    await eventually(() => strip.getByRole('radio', { name: 'bread' }).and(page.locator(':focus')).count()).toBe(1);
    expect(await accessibilityProblems(page)).toEqual([]);
    await press('Escape');
    expect(await strip.count()).toBe(0);
    await eventually(() => card('ask').and(page.locator(':focus')).count()).toBe(1);

    await press('Delete');
    await strip.getByText('Delete cake, too').waitFor();
    await press('Enter');
    await card('ask').waitFor({ state: 'detached' });
    await eventually(text).toContain('next: bread }');
    expect(await card('cake').count()).toBe(1);
    await press('Control+z');
    await eventually(text).toBe(SHOP);

    await card('ask').locator('header').click();
    await press('Delete');
    await press('ArrowDown');
    await strip.getByText('Delete bread, too').waitFor();
    await strip.getByRole('checkbox').check();
    await press('Enter');
    await card('bread').waitFor({ state: 'detached' });
    await eventually(text).toContain('hello: { play: Welcome to our shop., next: cake }');
    await press('Control+z');
    await eventually(text).toBe(SHOP);
  });

  test('deletes several steps at once, as one undo', async () => {
    await edit('shop');
    await card('bread').locator('header').click();
    await card('cake')
      .locator('header')
      .click({ modifiers: ['Shift'] });
    await press('Delete');
    await card('cake').waitFor({ state: 'detached' });
    await eventually(text).toContain('exits: { bread: bye, cake: bye, exhausted: bye }');
    await press('Control+z');
    await eventually(text).toBe(SHOP);
    await press('Control+a', 'x');
    await page.getByText('A flow has at least one step').first().waitFor();
  });

  test('copies, cuts, pastes into a selected line, and duplicates', async () => {
    await edit('shop');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await card('bread').locator('header').click();
    await press('Control+d');
    await eventually(text).toContain('bread_2: { play: The bread is ready at five., next: bye }');
    await eventually(selected).toEqual(['bread_2']);
    await press('Control+z');
    await eventually(text).toBe(SHOP);

    await card('bread').locator('header').click();
    await card('cake')
      .locator('header')
      .click({ modifiers: ['Shift'] });
    await press('Control+c');
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('cake: { play: There is no cake');
    const hello = (await card('hello').boundingBox())!;
    const ask = (await card('ask').boundingBox())!;
    const middle = (hello.x + hello.width + ask.x) / 2;
    await page.mouse.click(middle, hello.y + 40);
    await page.mouse.move(middle, hello.y + 60);
    await page.mouse.move(middle - 3, hello.y + 19, { steps: 2 });
    await page.keyboard.down('Control');
    await page.locator('.line-plus').click();
    await page.keyboard.up('Control');
    await page.locator('.wire.chosen').waitFor({ state: 'attached' });
    await press('Control+v');
    await eventually(text).toContain('hello: { play: Welcome to our shop., next: bread_2 }');
    await eventually(selected).toEqual(['bread_2', 'cake_2']);
    await press('Control+z');
    await eventually(text).toBe(SHOP);

    await card('bread').locator('header').click();
    await press('Control+x');
    await card('bread').waitFor({ state: 'detached' });
    await press('Control+v');
    await card('bread').waitFor();
    await page.evaluate("navigator.clipboard.writeText('Hello there.')");
    await press('Control+v');
    await page.getByText('There are no steps on the clipboard').first().waitFor();
  });

  test('groups steps under a title, renames, folds and ungroups the group', async () => {
    await edit('shop');
    await card('bread').locator('header').click();
    await card('cake')
      .locator('header')
      .click({ modifiers: ['Shift'] });
    await press('Control+g');
    await page.getByLabel('Title of the group').fill('Answers');
    await press('Enter');
    await eventually(text).toContain('bread: { play: The bread is ready at five., section: Answers, next: bye }');
    await eventually(text).toContain('cake: { play: There is no cake today., section: Answers, next: bye }');
    await page.getByRole('button', { name: 'Answers 2' }).waitFor();
    await card('hello').locator('header').click();
    await page.getByRole('button', { name: 'Answers 2' }).click();
    await eventually(selected).toEqual(['bread', 'cake']);
    expect(await accessibilityProblems(page)).toEqual([]);
    await card('bread').focus();
    await press('Escape', 'f');
    await card('bread').and(page.locator('.block')).waitFor();
    await press('Control+g');
    await page.getByLabel('Title of the group').fill('The answers');
    await press('Enter');
    await eventually(text).toContain('cake: { play: There is no cake today., section: The answers, next: bye }');
    await press('Control+z', 'Control+z');
    await eventually(text).toBe(SHOP);
    await press('Control+y');
    await card('bread').and(page.locator('.block')).click();
    await press('f');
    await card('cake').waitFor();
    await card('bread').locator('header').click();
    await press('Control+Shift+G');
    await eventually(text).toContain('bread: { play: The bread is ready at five., next: bye }');
  });

  test('changes a value of several steps in one form, as one undo', async () => {
    await edit('shop');
    await press('Control+.');
    await card('bread').locator('header').click();
    await card('cake')
      .locator('header')
      .click({ modifiers: ['Shift'] });
    const form = page.locator('.form');
    await form.getByRole('heading', { name: '2 steps selected' }).waitFor();
    expect(await form.locator('.form-head small').textContent()).toBe('2 × play');
    const section = form.getByLabel('Section');
    await section.fill('Answers');
    await eventually(() => form.getByRole('button', { name: /^Ungroup/ }).count()).toBe(1);
    await card('bread').locator('header').click();
    await form.getByRole('button', { name: /^More/ }).click();
    await form.getByLabel('Section').fill('Bread');
    await card('cake')
      .locator('header')
      .click({ modifiers: ['Shift'] });
    await form.getByText('Mixed').waitFor();
    expect(await section.inputValue()).toBe('');
    expect(await accessibilityProblems(page)).toEqual([]);
    await section.fill('All');
    await eventually(() => form.getByText('Mixed').count()).toBe(0);
    await press('Control+.');
    await eventually(text).toContain(
      'section: All, next: bye }\n  cake: { play: There is no cake today., section: All,',
    );
    await card('bread').focus();
    await press('Control+z');
    await eventually(text).toContain(
      'section: Bread, next: bye }\n  cake: { play: There is no cake today., section: Answers,',
    );
    await press('Control+.');
    await form.getByRole('button', { name: /^Delete/ }).click();
    await card('cake').waitFor({ state: 'detached' });
  });

  test('moves a step to a line by a drag, and lets it glide back elsewhere', async () => {
    await edit('shop');
    const bread = (await card('bread').boundingBox())!;
    const hello = (await card('hello').boundingBox())!;
    const ask = (await card('ask').boundingBox())!;
    const drag = async (x: number, y: number): Promise<void> => {
      await page.mouse.move(bread.x + 70, bread.y + 20);
      await page.mouse.down();
      await page.mouse.move(x - 30, y - 20, { steps: 4 });
      expect(await page.locator('.lifted-card').count()).toBe(1);
      await page.mouse.move(x, y);
    };
    await drag(bread.x, bread.y + 330);
    await page.getByText('Drop on a line to move it there').waitFor();
    await page.mouse.up();
    await eventually(() => page.locator('.lifted-card').count()).toBe(0);
    expect(await text()).toBe(SHOP);
    await drag((hello.x + hello.width + ask.x) / 2, hello.y + 19);
    expect(await page.locator('.wire.chosen').count()).toBe(1);
    await page.mouse.up();
    await eventually(text).toBe(
      SHOP.replace('next: ask', 'next: bread')
        .replace('ready at five., next: bye', 'ready at five., next: ask')
        .replace('bread: bread,', 'bread: bye,'),
    );
    await card('bread').locator('header').click();
    await press('Control+z');
    await eventually(text).toBe(SHOP);
  });

  test('moves by keys, picks a line to paste into, and says why steps cannot be moved together', async () => {
    await edit('shop');
    await card('cake').locator('header').click();
    await press('m');
    const hints = page.locator('.line-hint');
    await eventually(() => hints.count()).toBe(5);
    expect(await accessibilityProblems(page)).toEqual([]);
    await press(await hints.first().innerText());
    await eventually(text).toContain('hello: { play: Welcome to our shop., next: cake }');
    await press('Control+z');
    await eventually(text).toBe(SHOP);
    await press('m', 'Escape');
    expect(await hints.count()).toBe(0);
    await card('ask').locator('header').click();
    await card('bread')
      .locator('header')
      .click({ modifiers: ['Shift'] });
    await press('m', 'a');
    await page.getByText('The steps lead to cake and bye').first().waitFor();
    await card('cake').locator('header').click();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press('Control+c', 's', 'a', 'Control+v');
    await eventually(text).toContain('hello: { play: Welcome to our shop., next: cake_2 }');
  });

  test('writes a note, shows it with safe links on the card, and removes it', async () => {
    await edit('shop');
    await card('cake').locator('header').click();
    await press('n');
    const field = page.getByLabel('Note', { exact: true });
    await field.fill('**No cake** on Mondays: [why](https://a.example/x), [not](javascript:alert(1)).');
    await press('Enter');
    await eventually(text).toContain(
      '  # **No cake** on Mondays: [why](https://a.example/x), [not](javascript:alert(1)).\n  cake:',
    );
    expect(await page.locator('.note-corner').count()).toBe(1);
    await card('cake').hover();
    const note = card('cake').locator('.note-text');
    await note.getByText('No cake', { exact: true }).waitFor();
    expect(await note.locator('a').evaluateAll((links) => links.map((each) => each.getAttribute('href')))).toEqual([
      'https://a.example/x',
    ]);
    expect(await accessibilityProblems(page)).toEqual([]);
    await card('cake').locator('header').click();
    await press('n');
    await field.fill('');
    await press('Enter');
    await eventually(text).toBe(SHOP);
    expect(await page.locator('.note-corner').count()).toBe(0);
  });

  test('pans with Space and the middle button instead of selecting', async () => {
    await edit('shop');
    await card('hello').click();
    const before = (await card('hello').boundingBox())!;
    const drag = async (button: 'left' | 'middle'): Promise<void> => {
      await page.mouse.move(before.x + 20, before.y + 300);
      await page.mouse.down({ button });
      await page.mouse.move(before.x + 60, before.y + 320, { steps: 3 });
      await page.mouse.up({ button });
    };
    await page.keyboard.down('Space');
    await drag('left');
    await page.keyboard.up('Space');
    await drag('middle');
    const after = (await card('hello').boundingBox())!;
    expect([after.x - before.x, after.y - before.y].map(Math.round)).toEqual([80, 40]);
    expect(await selected()).toEqual(['hello']);
  });
});
