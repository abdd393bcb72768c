/** New flows in a real browser: the gallery of templates, and the import of a file of another system. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const TWIML = `<Response>
  <Gather numDigits="1" mood="friendly"><Say>Press 1 for bread.</Say></Gather>
</Response>
`;

describe.skipIf(browser.missing)(`new flows in a browser${browser.why}`, () => {
  let service: Service;
  let studio: Studio;

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-new-flow-')),
      address: '127.0.0.95',
      numbers: [],
      flows: {},
    });
    studio = await openStudio(service);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });
  const saved = (name: string): string => readFileSync(join(service.directory, `flows/${name}.flow.yaml`), 'utf8');
  const openDialog = async (): Promise<void> => {
    await studio.open('/flows');
    await studio.page
      .getByRole('button', { name: /^New flow/ })
      .first()
      .click();
    await studio.page.getByRole('radio', { name: /^Voicemail/ }).waitFor({ state: 'attached' });
  };

  test('makes a flow from a template that a search finds, under a suggested name', async () => {
    const { page } = studio;
    await openDialog();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Search').fill('mailbox');
    await page.locator('.template svg').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/flows\/voicemail$/);
    expect(saved('voicemail')).toMatch(/^flow: voicemail\n/);
  });

  test('makes a flow from a dropped file, which the service converts and explains', async () => {
    const { page } = studio;
    await openDialog();
    await page.getByRole('button', { name: 'Import from another system' }).click();
    const dialog = page.getByRole('dialog', { name: 'Import a flow' });
    expect(await accessibilityProblems(page)).toEqual([]);
    const dropped = await page.evaluateHandle((text) => {
      // biome-ignore lint/suspicious/noExplicitAny: these are of the page.
      const { DataTransfer, File } = globalThis as any;
      const data = new DataTransfer();
      data.items.add(new File([text], 'bread.xml', { type: 'text/xml' }));
      return data;
    }, TWIML);
    await page.dispatchEvent('.drop-zone', 'drop', { dataTransfer: dropped });
    await dialog.getByText('TwiML', { exact: true }).waitFor();
    await dialog.locator('.small-drawing svg').waitFor();
    await dialog
      .getByRole('region', { name: 'Differences from the source' })
      .getByText('mood is not imported')
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByLabel('Name').fill('bakery');
    await dialog.getByRole('button', { name: 'Save flow' }).click();
    await page.waitForURL(/flows\/bakery$/);
    expect(saved('bakery')).toMatch(/^flow: bakery\n/);
  });

  test('refuses a file of an unknown format, with the reason', async () => {
    const { page } = studio;
    await openDialog();
    await page.getByRole('button', { name: 'Import from another system' }).click();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
    await page.getByText('note.txt is not a format that can be imported.').waitFor();
    expect(await page.getByRole('button', { name: /^Save/ }).count()).toBe(0);
  });

  test('shows the templates that a link searches for', async () => {
    const { page } = studio;
    await studio.open('/conferences');
    await page.getByRole('link', { name: 'New flow with a conference' }).click();
    await page.getByRole('radio', { name: /^Conference/ }).waitFor({ state: 'attached' });
    expect(await page.getByLabel('Search').inputValue()).toBe('conference');
    expect(studio.problems).toEqual([]);
  });
});
