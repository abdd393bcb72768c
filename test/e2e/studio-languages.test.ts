/** Languages of the pages in a real browser: by the browser, by choice, and from right to left. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOW = `flow: hours
start: welcome
defaults: { exits: { error: bye } }
steps:
  welcome: { play: Welcome to the bakery., next: bye }
  bye: { hangup: normal }
`;

describe.skipIf(browser.missing)(`the language of the studio${browser.missing ? browser.why : ''}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-languages-'));
  let service: Service;
  let studio: Studio;

  const open = async (locale: string): Promise<Studio> => {
    studio = await openStudio(service, { locale });
    return studio;
  };
  const documentOf = ({ page }: Studio) =>
    page.evaluate<string[]>('[document.documentElement.lang, document.documentElement.dir]');
  const openAccount = ({ page }: Studio) => page.locator('.rail-end button[popovertarget]').click();

  beforeAll(async () => {
    service = await startService({
      ...{ directory, address: '127.0.0.69', flows: { 'hours.flow.yaml': FLOW } },
      numbers: [{ number: '1000', flow: 'hours', project: 'demo' }],
    });
  });
  afterEach(() => studio?.close());
  afterAll(async () => {
    await service?.kill();
    rmSync(directory, { recursive: true, force: true });
  });

  test('follows the language of the browser', async () => {
    const { page } = await open('de-AT');
    expect(await documentOf(studio)).toEqual(['de', 'ltr']);
    await openAccount(studio);
    await page.getByRole('button', { name: 'Abmelden' }).waitFor();
    expect(studio.problems).toEqual([]);
  });

  test('is English in a browser with another language', async () => {
    await open('ja');
    expect(await documentOf(studio)).toEqual(['en', 'ltr']);
  });

  test('is the chosen one, also after the page is loaded again', async () => {
    const { page } = await open('de');
    await openAccount(studio);
    await page.getByLabel('Sprache').selectOption({ label: 'Français' });
    await page.locator('html[lang=fr]').waitFor();
    await page.reload();
    await page.locator('nav.rail').waitFor();
    expect(await documentOf(studio)).toEqual(['fr', 'ltr']);
    await openAccount(studio);
    await page.getByLabel('Langue').selectOption({ label: 'Comme le navigateur' });
    await page.locator('html[lang=de]').waitFor();
  });

  test('is shown from right to left if it is Arabic, without findings of axe', async () => {
    await open('ar');
    expect(await documentOf(studio)).toEqual(['ar', 'rtl']);
    for (const path of [
      '/flows',
      '/flows/hours?show=form',
      '/flows/hours/versions',
      '/calls',
      '/rooms',
      '/settings/users',
    ]) {
      await studio.open(path);
      expect(await accessibilityProblems(studio.page)).toEqual([]);
    }
  });

  test('is also that of the pages of a room and of the phone, with a choice', async () => {
    const { page } = await open('ar');
    for (const path of ['/phone', '/room/some']) {
      await page.goto(service.url + path);
      await page.locator('html[lang=ar][dir=rtl] main').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    await page.goto(`${service.url}/phone`);
    await page.getByLabel('اللغة').selectOption({ label: 'Deutsch' });
    await page.getByRole('heading', { name: 'Telefon' }).waitFor();
  });

  test('finds steps by the words of the language and in English', async () => {
    const { page } = await open('de');
    await studio.open('/flows/hours');
    await page.getByRole('button', { name: 'Schritt hinzufügen' }).first().click();
    const search = page.getByRole('combobox', { name: 'Schritte suchen' });
    for (const query of ['warteschlange', 'queue']) {
      await search.fill(query);
      await page.getByRole('option', { name: 'Warteschlange' }).first().waitFor();
    }
  });
});
