/** Focus of the graph in a real browser, for a person who does not wait: each key follows the last one at once. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';
import { SHOP } from './shop-flow.ts';

describe.skipIf(browser.missing)(`focus of the graph in a browser${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;

  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const card = (step: string): Locator => page.locator(`.card[data-step="${step}"]`);
  const text = async (): Promise<string> =>
    (await page.locator('.text-editor .cm-content').innerText()).replace(/\n+$/, '\n');
  const focusedStep = (): Promise<unknown> => page.evaluate('document.activeElement?.dataset.step');
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Presses keys at the selected card, which a click has focused. */
  const pressAt = async (step: string, ...keys: string[]): Promise<void> => {
    await card(step).locator('header').click();
    await press(...keys);
  };

  /** Runs acts in the page within one frame, and returns what `found` is two frames later. */
  const inOneFrame = (acts: string, found: string): Promise<unknown> =>
    page.evaluate(`(async () => {
      const card = (step) => document.querySelector('.card[data-step="' + step + '"]');
      // The page draws in microtasks.
      const drawn = async () => { for (let turn = 0; turn < 20; turn++) await undefined; };
      const at = () => document.activeElement;
      const press = (key) => {
        at().dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        return drawn();
      };
      const clipboardData = new DataTransfer();
      const clip = (act) => {
        at().dispatchEvent(new ClipboardEvent(act, { clipboardData, bubbles: true, cancelable: true }));
        return drawn();
      };
      const click = (step) => { card(step).focus(); card(step).click(); return drawn(); };
      ${acts}
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      return ${found};
    })()`);

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-focus-')),
      address: '127.0.0.192',
      numbers: [],
      flows: { 'shop.flow.yaml': SHOP },
    });
    studio = await openStudio(service, { width: 1440, height: 900 });
  }, 90_000);
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });
  const edit = async (): Promise<void> => {
    page = await studio.another();
    await page.setViewportSize({ width: 1440, height: 900 });
    page.setDefaultTimeout(15_000);
    await page.goto(`${service.url}/studio/flows/shop`);
    await page.locator('.card').first().waitFor();
    await page.locator('.cm-content').waitFor();
  };
  afterEach(async () => {
    await page?.close({ runBeforeUnload: false });
  });

  test('pastes at once what was cut', async () => {
    await edit();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const step = await inOneFrame(`await click('bread'); await clip('cut'); await clip('paste');`, 'at().dataset.step');
    expect(step).toBe('bread');
    expect(await text()).toContain('bread: { play: The bread is ready at five.');
    await press('Control+x', 'Control+v', 'Control+z', 'Control+z', 'Control+z', 'Control+z');
    await eventually(text).toBe(SHOP);
  });

  test('answers the question of a deletion at once', async () => {
    await edit();
    expect(await inOneFrame(`await click('ask'); await press('Delete');`, 'at().type')).toBe('radio');
    await press('ArrowDown', 'Enter');
    await card('ask').waitFor({ state: 'detached' });
    await eventually(text).toContain('hello: { play: Welcome to our shop., next: cake }');
    expect(await focusedStep()).toBe('hello');
    await press('Control+z', 'Delete', 'Escape', 'Delete', 'Enter');
    await eventually(text).toContain('hello: { play: Welcome to our shop., next: bread }');
  });

  test('acts at once on the step that an undo brings back', async () => {
    await edit();
    await pressAt('bread', 'x', 'Control+z', 'r');
    await page.keyboard.type('loaf');
    await press('Enter', 'Control+d');
    await card('loaf_2').waitFor();
    await eventually(text).toContain('loaf: { play: The bread is ready at five., next: bye }');
    await eventually(focusedStep).toBe('loaf_2');
  });

  test('keeps the focus through a deletion in the outline', async () => {
    await edit();
    await pressAt('bread', 'o', 'x', 'ArrowUp');
    await eventually(text).not.toContain('bread: { play');
    await page
      .getByRole('treeitem', { name: /^hello/ })
      .and(page.locator(':focus'))
      .waitFor();
    await press('Control+z', 'o');
    await eventually(text).toBe(SHOP);
    await card('bread').waitFor();
  });

  test.each([
    ['a click on a card', `click('bread');`],
    ['a key that walks', `await click('hello'); press('ArrowRight');`],
    ['a deletion', `await click('bread'); press('x');`],
  ])('leaves the focus where a person went after %s', async (_, acts) => {
    await edit();
    const place = await inOneFrame(`${acts} document.querySelector('.cm-content').focus();`, 'at().className');
    expect(place).toContain('cm-content');
  });

  test('leaves the focus in the text through undo and redo there', async () => {
    await edit();
    await pressAt('bread', 'x');
    await page.locator('.cm-content').getByText('Welcome to our shop.').click();
    await press('Control+z');
    await page.keyboard.type('!');
    await press('Control+z', 'Control+y');
    await page.keyboard.type('?');
    await eventually(text).toContain('?');
    expect(await page.evaluate('document.activeElement.className')).toContain('cm-content');
  });
});
