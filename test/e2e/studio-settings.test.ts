/**
 * Versions of a flow and settings in a real browser: changes of a save as a drawing and as text; provisioned objects,
 * readable for every role.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio, saveFlow } from './browser.ts';
import { type Service, startService } from './service.ts';
import { writeTone } from './sound.ts';

const FLOW =
  'flow: greet\ndefaults: { exits: { error: bye } }\nstart: hello\nsteps:\n  hello: { play: Good day., next: bye }\n  bye: { hangup: normal }\n';
const LATER = FLOW.replace('next: bye', 'next: more').replace(
  '  bye:',
  '  more: { play: One more thing., next: bye }\n  bye:',
);

const FROM_STUDIO = { 'x-callweave-studio': '1', 'content-type': 'application/json' };

/** Reads a setting as the service keeps it. */
const readSetting = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(async ([address, headers]) => (await fetch(address, { headers })).json(), [
    `/admin/v1/${path}`,
    FROM_STUDIO,
  ] as const);

const writeSetting = (page: Page, path: string, body: object): Promise<number> =>
  page.evaluate(async ([address, init]) => (await fetch(address, init)).status, [
    `/admin/v1/${path}`,
    { method: 'PUT', headers: FROM_STUDIO, body: JSON.stringify(body) },
  ] as const);

const READ = 'the-token-of-one-who-looks';

describe.skipIf(browser.missing)(`in a browser${browser.why}`, () => {
  let service: Service;
  let studio: Studio;
  const tone = join(mkdtempSync(join(tmpdir(), 'callweave-tone-')), 'tone.wav');

  beforeAll(async () => {
    writeTone(tone, 440, 1);
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-studio-')),
      address: '127.0.0.61',
      numbers: [{ number: '7000', flow: 'greet' }],
      flows: { 'greet.flow.yaml': FLOW, 'unnumbered.flow.yaml': FLOW.replace('flow: greet', 'flow: unnumbered') },
      more: { admin: { tokens: [{ name: 'ann', token: READ, role: 'read' }] } },
    });
    studio = await openStudio(service);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  describe('the versions of a flow', () => {
    test('are one at the beginning', async () => {
      await studio.open('/flows/greet/versions');
      await studio.page.getByText('There is one version so far').waitFor();
    });

    test('are two after a save, in one drawing', async () => {
      const { page } = studio;
      expect(await saveFlow(page, 'greet', LATER)).toBe(200);
      await studio.open('/flows/greet/versions');
      await page.getByText('1 step added, 1 changed, 1 way changed').waitFor();
      const versions = page.locator('.version-rows button');
      expect(await versions.allTextContents()).toEqual([
        expect.stringMatching(/^after/),
        expect.stringMatching(/^before/),
      ]);
      expect(await page.locator('.card p del').count()).toBe(0);
      await page.keyboard.press('n');
      await page.keyboard.press('n');
      await page.locator('button[aria-current=true]', { hasText: 'more' }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
    });

    test('are led to from the list of changes, by keys alone', async () => {
      const { page } = studio;
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /Find/ }).and(page.locator(':focus')).waitFor();
      await page.keyboard.type('changes');
      await page.getByRole('option', { selected: true }).filter({ hasText: 'Changes' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Changes' }).waitFor();
      await page.getByRole('cell', { name: 'saved the flow greet' }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.locator('[data-row]').first().and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('1 step added, 1 changed, 1 way changed').waitFor();
      expect(new URL(page.url()).search).toMatch(/^\?before=[0-9a-f]{64}&after=[0-9a-f]{64}$/);
      await studio.open('/flows/greet/versions');
      await page.getByRole('application').waitFor();
    });

    test('shows two versions side by side as text', async () => {
      const { page } = studio;
      await page.keyboard.press('t');
      const both = page.getByRole('region', { name: /, beside: / });
      await both.getByText('One more thing.').waitFor();
      expect(new URL(page.url()).search).toBe('?view=text');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press('t');
      await page.getByRole('application').waitFor();
    });

    test('changes sides by the keyboard, and keeps them in the address', async () => {
      const { page } = studio;
      await page.getByRole('button', { name: 'Swap' }).focus();
      await page.keyboard.press('Space');
      await page.waitForURL(/after=/);
      await page.getByText('1 step removed, 1 changed, 1 way changed').waitFor();
    });

    test('compares two versions that are clicked, the earlier first, with the changed words struck through', async () => {
      const { page } = studio;
      expect(await saveFlow(page, 'greet', LATER.replace('One more thing.', 'One last thing.'))).toBe(200);
      await studio.open('/flows/greet/versions');
      const versions = page.locator('.version-rows button');
      await page.locator('.card del', { hasText: 'more' }).waitFor();
      expect(await page.locator('.card ins').allTextContents()).toEqual(['last']);
      expect(await versions.count()).toBe(3);
      await versions.nth(0).click();
      await versions.nth(2).click();
      await page.getByText('1 step added, 1 changed, 1 way changed').waitFor();
      expect(await page.locator('.version-rows [aria-pressed=true]').count()).toBe(2);
      expect(await accessibilityProblems(page)).toEqual([]);
    });

    test('compares the results of calls on request', async () => {
      const { page } = studio;
      await page.keyboard.press('y');
      await page.getByText('No calls to replay yet', { exact: true }).first().waitFor();
    });
  });

  describe('the settings', () => {
    test('shows the values of the configuration file, and locks them', async () => {
      const { page } = studio;
      await studio.open('/settings/numbers?name=7000');
      const form = page.getByRole('form', { name: 'number 7000' });
      await form.getByText('Set in the configuration file').waitFor();
      expect(await form.getByLabel('Flow', { exact: true }).isDisabled()).toBe(true);
      expect(await form.getByRole('button', { name: 'Save' }).count()).toBe(0);
      const written = await form.getByRole('textbox').evaluateAll((all) => all.map((each) => (each as never)['value']));
      expect(written).not.toContain('');
    });

    test('shows a refusal of the service at its field, and loses no input', async () => {
      const { page } = studio;
      await studio.open('/settings/numbers?new=1');
      const form = page.getByRole('form', { name: 'New number' });
      await form.getByRole('textbox', { name: 'Number' }).fill('7002');
      await form.getByLabel('Webhook', { exact: true }).fill('ftp://example.org');
      await page.keyboard.press('Enter');
      await form.getByText('Must be a URL that starts with https:// or http://.').waitFor();
      await form.locator('[aria-invalid=true]:focus').waitFor();
      expect(await form.getByLabel('Webhook', { exact: true }).inputValue()).toBe('ftp://example.org');
      expect(await accessibilityProblems(page)).toEqual([]);
      // The browser itself writes a line for each refused request.
      expect(studio.problems.splice(0).filter((line) => !line.includes('status of 400'))).toEqual([]);
    });

    test('says at each field what is missing or beyond its limits', async () => {
      const { page } = studio;
      await studio.open('/settings/users?new=1');
      const form = page.getByRole('form', { name: 'New user' });
      await form.getByLabel('Password').fill('short');
      await form.getByRole('button', { name: 'Save' }).click();
      await form.getByText('Fill this in.').waitFor();
      await form.getByRole('textbox', { name: 'name' }).fill('ada');
      await form.getByRole('button', { name: 'Save' }).click();
      await form.getByText('At least 8 characters.').waitFor();
    });

    test('shows the settings for a phone once it is saved, and its password only then', async () => {
      const { page } = studio;
      await studio.open('/settings/users?new=1');
      const form = page.getByRole('form', { name: 'New user' });
      await form.getByRole('textbox', { name: 'Name' }).fill('ada');
      await form.getByLabel('Password').fill('wonderland-1');
      await form.getByRole('button', { name: 'Save' }).click();
      const phone = page.getByRole('dialog', { name: 'Settings for the phone of ada' });
      await phone.getByText('wonderland-1').waitFor();
      await phone.getByText(service.sip.replace(':5060', ''), { exact: true }).waitFor();
      await phone.getByRole('img', { name: /^QR code/ }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('cell', { name: 'not registered' }).waitFor();
      const saved = page.getByRole('form', { name: 'user ada' });
      await saved.getByText('More').click();
      await saved.getByLabel(/^Encryption/).selectOption('optional');
      await saved.getByRole('button', { name: 'Save' }).click();
      await phone.getByText('The password is as before').waitFor();
      expect(await page.content()).not.toContain('wonderland-1');
      await page.keyboard.press('Escape');
    });

    test('asks a number for its flow by name, and hides what means nothing beside a flow', async () => {
      const { page } = studio;
      await studio.open('/settings/numbers?new=1');
      const form = page.getByRole('form', { name: 'New number' });
      await form.getByLabel('Greeting', { exact: true }).waitFor();
      await form.getByRole('textbox', { name: 'Number' }).fill('7003');
      await form.getByLabel('Greeting', { exact: true }).fill('Good day.');
      await form.getByLabel('Flow', { exact: true }).selectOption('greet');
      expect(await form.getByLabel('Greeting', { exact: true }).count()).toBe(0);
      expect(await form.getByLabel('Project', { exact: true }).count()).toBe(0);
      expect(await form.getByRole('button', { name: 'Save' }).isVisible()).toBe(true);
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('form', { name: 'number 7003' }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
    });

    test('gives a flow a number in the list of flows, and stays there', async () => {
      const { page } = studio;
      await studio.open('/flows');
      await page.getByRole('button', { name: 'Give greet a number' }).click();
      const dialog = page.getByRole('dialog', { name: 'Give greet a number' });
      await dialog.getByLabel('Number').fill('7000');
      await dialog.getByText('7000 is set in the configuration file').waitFor();
      await dialog.getByLabel('Number').fill('7004');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.locator('.flow-list').getByText('7004').first().waitFor();
      expect(new URL(page.url()).pathname).toMatch(/\/studio\/flows$/);
    });

    test('gives a flow a number on its own page, and shows the address to call', async () => {
      const { page } = studio;
      await studio.open('/flows/unnumbered');
      await page.locator('.cm-content').waitFor();
      await page.getByRole('button', { name: 'Call unnumbered with a telephone' }).click();
      const phone = page.getByRole('dialog', { name: 'Call unnumbered with a telephone' });
      await phone.getByRole('button', { name: 'Give it a number' }).click();
      await page.getByRole('dialog', { name: 'Give unnumbered a number' }).getByLabel('Number').fill('7006');
      await page.keyboard.press('Enter');
      await phone.getByText('sip:7006@').first().waitFor();
      expect(new URL(page.url()).pathname).toMatch(/\/flows\/unnumbered$/);
      await page.keyboard.press('Escape');
      await studio.open('/flows');
    });

    test('moves a number to another flow after it said so, and keeps its other settings', async () => {
      const { page } = studio;
      await writeSetting(page, 'numbers/7005', { webhook: 'https://hooks.example/x', greeting: 'Good day.' });
      await page.getByRole('button', { name: 'Give greet a number' }).click();
      const dialog = page.getByRole('dialog', { name: 'Give greet a number' });
      await dialog.getByLabel('Number').fill('7005');
      await dialog.getByText('7005 leads to a webhook now. Saving moves it to greet.').waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.flow-list').getByText('7005').first().waitFor();
      expect(await readSetting(page, 'numbers/7005')).toMatchObject({
        flow: 'greet',
        webhook: 'https://hooks.example/x',
      });
    });

    test('uploads a prompt as a sound, and plays it', async () => {
      const { page } = studio;
      await studio.open('/settings/prompts?new=1');
      const form = page.getByRole('form', { name: 'New prompt' });
      await form.getByLabel('Name').fill('jingle');
      const buffer = readFileSync(tone);
      await form.locator('input[type=file]').setInputFiles({ name: 'tone.wav', mimeType: 'audio/wav', buffer });
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'jingle' }).waitFor();
      await studio.open('/settings/prompts?name=jingle&language=default');
      const sound = page.locator('audio');
      await sound.waitFor();
      await expect
        .poll(() => sound.evaluate((audio) => (audio as unknown as { duration: number }).duration))
        .toBeGreaterThan(0);
    });

    test('draws a schedule as a week, and saves it', async () => {
      const { page } = studio;
      await studio.open('/settings/schedules?new=1');
      const form = page.getByRole('form', { name: 'New schedule' });
      await form.getByLabel('Name').fill('office');
      await form.getByLabel('Time zone').fill('Europe/Paris');
      await form.getByLabel('Fri').uncheck();
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('img', { name: 'Open Mon, Tue, Wed, Thu 09:00 to 17:00, Europe/Paris' }).waitFor();
    });

    test('understands dates and times as people type them, and asks about the others', async () => {
      const { page } = studio;
      await studio.open('/settings/schedules?name=office');
      const form = page.getByRole('form', { name: 'schedule office' });
      await form.getByLabel('To', { exact: true }).fill('5:30 pm');
      await form.getByRole('button', { name: 'Add holiday' }).click();
      await form.getByLabel('Date of holiday 1').fill('03/04/2026');
      await form.getByRole('button', { name: 'Save' }).click();
      await form.getByText('03/04/2026 can be two dates').waitFor();
      await form.getByLabel('Date of holiday 1').fill('25.12.2026');
      await form.getByLabel('Name of holiday 1').fill('Christmas');
      expect(await accessibilityProblems(page)).toEqual([]);
      await form.getByRole('button', { name: 'Save' }).click();
      await page.getByText('1 holiday', { exact: true }).waitFor();
      expect(await readSetting(page, 'schedules/office')).toMatchObject({
        schedule: {
          open: [{ from: '09:00', to: '17:30' }],
          holidays: [{ date: '2026-12-25', name: 'Christmas' }],
        },
      });
    });

    test('shows the secrets of a new project once', async () => {
      const { page } = studio;
      await studio.open('/settings/projects?new=1');
      const form = page.getByRole('form', { name: 'New project' });
      await form.getByLabel('name', { exact: false }).first().fill('Shop');
      await form.getByRole('button', { name: 'Save' }).click();
      const secrets = page.getByRole('dialog', { name: 'Keep these' });
      await secrets.getByText('whsec_').waitFor();
      await page.keyboard.press('Escape');
      await expect.poll(() => page.content()).not.toContain('whsec_');
    });

    test('filters calls by plain fields, which write the text of the filter', async () => {
      const { page } = studio;
      await studio.open('/calls');
      await page.getByLabel('Direction').selectOption('Outbound');
      await page.getByLabel('Result').selectOption('No answer');
      await page.getByLabel('From day').fill('2026-11-01');
      const text = page.getByLabel('Filter', { exact: true });
      expect(await text.inputValue()).toBe('direction:out cause:"no answer" day>=2026-11-01');
      expect(new URL(page.url()).searchParams.get('q')).toBe(await text.inputValue());
      await text.fill('direction:in');
      expect(await page.getByLabel('Direction').inputValue()).toBe('direction:in');
      expect(await page.getByLabel('From day').inputValue()).toBe('');
      expect(await accessibilityProblems(page)).toEqual([]);
    });

    test.each([
      ['/settings/routes', 'No routes yet', 'button', 'New route'],
      ['/conferences', 'No active conferences', 'link', 'New flow with a conference'],
      ['/calls', 'No calls yet', 'link', 'Choose a flow to call'],
      ['/calls?q=flow:nowhere', 'No calls match the filter.', 'button', 'Show all calls'],
      ['/calls/unknown', 'This call was not found', 'link', 'All calls'],
    ] as const)('shows on the empty screen %s one sentence and one button', async (path, words, role, action) => {
      const { page } = studio;
      await studio.open(path);
      const screen = page.locator('.empty-screen', { hasText: words });
      await screen.getByRole(role, { name: action }).waitFor();
      expect(await screen.getByRole('button').or(screen.getByRole('link')).count()).toBe(1);
      expect(await screen.innerText()).not.toMatch(/POST|\/v[12]\//);
      expect(await accessibilityProblems(page)).toEqual([]);
      // The browser itself writes a line for the call that was not found.
      expect(studio.problems.splice(0).filter((line) => !line.includes('status of 404'))).toEqual([]);
    });

    test.each([
      '/settings/numbers?name=7000',
      '/settings/users?new=1',
      '/settings/routes?new=1',
      '/settings/prompts?new=1',
      '/settings/schedules?new=1',
      '/settings/projects',
      '/settings/webhooks',
      '/settings/changes',
      '/settings/health',
      '/broadcasts',
    ])('passes the accessibility checks on %s', async (path) => {
      await studio.open(path);
      await studio.page.waitForLoadState('networkidle');
      expect(await accessibilityProblems(studio.page)).toEqual([]);
    });

    test('rehearses a broadcast before it is started', { timeout: 120_000 }, async () => {
      const { page } = studio;
      await page.keyboard.press('g');
      await page.keyboard.press('b');
      await page.getByText('No broadcasts yet.').waitFor();
      expect(await page.locator('main').getByText('POST').count()).toBe(0);
      await page.keyboard.press('n');
      const form = page.getByRole('form', { name: 'Order' });
      await form.getByLabel('Flow').selectOption('greet');
      await page.keyboard.press('Control+Enter');
      await form.getByText('Fill this in.').waitFor();
      await page.keyboard.type('7000');
      await page.keyboard.press('Control+Enter');
      const rehearsal = page.getByRole('region', { name: 'Rehearsal' });
      await rehearsal.getByText('Numbers reached').waitFor({ timeout: 100_000 });
      expect(await rehearsal.locator('dd').nth(1).innerText()).toMatch(/^\d+ of 100$/);
      await page.getByRole('region', { name: 'Ways through greet' }).locator('[data-step="hello"]').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await form.getByLabel('Numbers', { exact: true }).fill('7000');
      expect(await form.getByLabel('Rehearse with').locator('option:checked').innerText()).toBe('the 1 number above');
      await page.keyboard.press('Control+Enter');
      await expect.poll(() => rehearsal.locator('dd').nth(1).innerText(), { timeout: 100_000 }).toMatch(/^[01] of 1$/);
      page.once('dialog', (dialog) => void dialog.accept());
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText('of 1 numbers have their result').waitFor();
    });

    test('reloads the configuration, and shows the result', async () => {
      const { page } = studio;
      await studio.open('/settings/health');
      await page.getByRole('button', { name: 'Reload configuration' }).click();
      await page.getByRole('status').getByText('nothing is different').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
    });

    test('finds pages by Ctrl K, and lists the keys by ?', async () => {
      const { page } = studio;
      await studio.open('/settings/health');
      await page.keyboard.press('Control+k');
      await page.locator('.palette input:focus').waitFor();
      // Enter is pressed before the list for these words is there.
      await page.keyboard.type('broadcasts');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Broadcasts' }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).getByText('Find').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press('Escape');
    });
  });

  test('shows the role, keeps the theme, and signs out', async () => {
    const page = await studio.signedIn(READ, '/settings/health');
    await page.getByRole('button', { name: /Administrator/ }).click();
    const account = page.getByRole('dialog', { name: 'Account' });
    await account.getByText('signed in as ann, may read, not change').waitFor();
    const schemeOf = () => page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme');
    await account.getByText('Dark').click();
    expect(await schemeOf()).toBe('dark');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.reload();
    await page.getByRole('button', { name: /Administrator/ }).click();
    expect(await schemeOf()).toBe('dark');
    await account.getByText('System').click();
    expect(await schemeOf()).toBe('light dark');
    await account.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Key or token').waitFor();
    await page.context().close();
  });

  test('shows everything to a read-only token, and offers no change', async () => {
    const page = await studio.signedIn(READ, '/settings/numbers');
    await page.getByText('Read only').waitFor();
    await page.getByRole('button', { name: '7000' }).click();
    await page.getByRole('form', { name: 'number 7000' }).waitFor();
    expect(await page.getByRole('button', { name: /^(New|Save|Remove)/ }).count()).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('n');
    expect(await page.getByRole('form', { name: 'New number' }).count()).toBe(0);
    await page.goto(`${service.url}/studio/settings/schedules?name=office`);
    const fields = page.getByRole('form', { name: 'schedule office' }).locator('input, textarea, select, button');
    await fields.first().waitFor();
    expect(await fields.evaluateAll((all) => all.filter((each) => !each.matches(':disabled')).length)).toBe(0);
    await page.goto(`${service.url}/studio/settings/changes`);
    await page
      .getByRole('cell', { name: /^setup link in the studio \(127\./ })
      .first()
      .waitFor();
    await page.goto(`${service.url}/studio/flows/greet`);
    await page.getByText('read only', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Save Ctrl s' }).isDisabled()).toBe(true);
    expect(await saveFlow(page, 'greet', FLOW)).toBe(403);
    await page.goto(`${service.url}/studio/broadcasts`);
    await page.locator('[data-row]').first().waitFor();
    expect(await page.getByRole('link', { name: 'New broadcast' }).count()).toBe(0);
    await page.context().close();
  });

  test('violates no content policy, and loads nothing from other origins', () => {
    expect(studio.problems).toEqual([]);
  });
});
