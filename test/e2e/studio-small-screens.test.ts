/** The flow editor in Chromium on low and medium screens: panes as tabs, and the column as a drawer over the graph. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOW = `flow: bakery
defaults: { exits: { error: bye } }
start: welcome
steps:
  welcome: { play: Welcome to the bakery., next: hours }
  hours: { play: We are open from seven to six., next: cakes }
  cakes: { play: Today we have apple cake., next: bye }
  bye: { hangup: normal }
`;

describe.skipIf(browser.missing)(`small screens in a browser${browser.why}`, { timeout: 90_000 }, () => {
  let service: Service;
  let studio: Studio;
  let page: Page;

  const open = async (width: number, height: number, query = ''): Promise<void> => {
    page = await studio.another();
    page.setDefaultTimeout(15_000);
    await page.setViewportSize({ width, height });
    await page.goto(`${service.url}/studio/flows/bakery${query}`);
    await page.locator('.canvas').waitFor({ state: 'attached' });
  };
  const pane = (name: string): Locator => page.getByRole('region', { name, exact: true });
  const tab = (name: string): Locator => page.getByRole('tab', { name, exact: true });
  const card = (step: string): Locator => page.locator(`.card[data-step="${step}"]`);
  const box = async (at: Locator) => (await at.boundingBox())!;

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-small-')),
      address: '127.0.0.151',
      numbers: [],
      flows: { 'bakery.flow.yaml': FLOW },
    });
    studio = await openStudio(service, { column: 'form' });
  }, 90_000);
  afterEach(async () => {
    await page.close({ runBeforeUnload: false });
    expect(studio.problems.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test.each([
    [1280, 450],
    [640, 400],
  ])('shows one pane at a time at %i × %i, with tabs at the bottom', async (width, height) => {
    await open(width, height, '?step=welcome');
    const panes = { Graph: pane('Graph'), Form: pane('Form'), YAML: pane('Text') };
    for (const [name, shown] of Object.entries(panes)) {
      await tab(name).click();
      await shown.waitFor();
      for (const other of Object.values(panes)) expect(await other.isVisible()).toBe(other === shown);
      const seen = await box(shown);
      expect(seen.height).toBeGreaterThan(height - 160);
      expect((await box(tab(name))).y).toBeGreaterThanOrEqual(seen.y + seen.height);
      expect(await accessibilityProblems(page)).toEqual([]);
    }
  });

  test('opens the form over the graph on a medium screen, beside the selected card', async () => {
    await open(1024, 700);
    const graph = await box(pane('Graph'));
    expect(graph.width).toBeGreaterThan(900);
    expect(await pane('Form').isVisible()).toBe(false);
    expect(await accessibilityProblems(page)).toEqual([]);
    await card('cakes').click({ position: { x: 40, y: 12 } });
    await pane('Form').getByRole('textbox', { name: 'Name of the step' }).waitFor();
    const form = await box(pane('Form'));
    expect(form.width).toBeCloseTo(400, -1);
    expect((await box(pane('Graph'))).width).toBe(graph.width);
    // The card has moved from below the drawer.
    await expect.poll(async () => (await box(card('cakes'))).x + (await box(card('cakes'))).width).toBeLessThan(form.x);
    await page
      .getByRole('toolbar', { name: 'View' })
      .getByRole('button', { name: /Zoom out/ })
      .click();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('closes the form over the graph by Escape or its button, and opens it by keys and for a place in the text', async () => {
    await open(800, 700, '?step=welcome');
    await pane('Form').waitFor();
    await pane('Form').getByRole('combobox').first().focus();
    await page.keyboard.press('Escape');
    await pane('Form').waitFor({ state: 'hidden' });
    await expect.poll(() => page.evaluate('document.activeElement.dataset.step')).toBe('welcome');
    // A closed column stays closed until it is asked for.
    await card('hours').click({ position: { x: 40, y: 12 } });
    expect(await pane('Form').isVisible()).toBe(false);
    await page.keyboard.press('Control+.');
    await pane('Form').waitFor();
    await page.getByRole('button', { name: 'Close the column' }).click();
    await pane('Form').waitFor({ state: 'hidden' });
    await page.keyboard.press('F12');
    await pane('Text').waitFor();
    await page.getByRole('button', { name: 'Close the column' }).click();
    await pane('Text').waitFor({ state: 'hidden' });
    await card('hours').focus();
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/studio\/flows$/);
  });
});
