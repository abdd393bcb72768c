/** Administration in a real browser: administrators with their invitations and tokens, and calls to phones. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../programs.ts';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { called, expects, isHungUp, playCallee, responds, sdp, waits } from './scenario.ts';
import { type Service, startService } from './service.ts';

/** The numbers of the service are loaded after the form is drawn. */
const shows = (form: Locator, number: string): Promise<void> =>
  expect.poll(() => form.getByLabel('Shows the number').inputValue()).toBe(number);

const FLOW =
  'flow: greet\ndefaults: { exits: { error: bye } }\nstart: hello\nsteps:\n  hello: { play: Good day., next: bye }\n  bye: { hangup: normal }\n';
const CARRIER = '127.0.0.80';
const CARRIER_PORT = 5079;
const OUTSIDE = '+33612345678';
const BOSS = 'the-token-of-the-one-in-the-file';

describe.skipIf(browser.missing)(`in a browser${browser.why}`, () => {
  let service: Service;
  let studio: Studio;
  /** Colleagues that have signed in, by name. */
  const pages: Record<string, Page> = {};

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-studio-')),
      address: '127.0.0.79',
      numbers: [{ number: '7000', flow: 'greet' }],
      flows: { 'greet.flow.yaml': FLOW },
      sip: { routes: [{ uri: `sip:${CARRIER}:${CARRIER_PORT}` }] },
      more: { admin: { tokens: [{ name: 'boss', token: BOSS, role: 'full' }] } },
    });
    studio = await openStudio(service);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  /** A window without a session. */
  const stranger = async (): Promise<Page> => (await studio.page.context().browser()!.newContext()).newPage();

  /** Adds an administrator by the form. Returns the text of the dialog that shows its access once. */
  async function add(page: Page, name: string, role: string, access: string): Promise<string> {
    await page.getByRole('button', { name: 'New administrator' }).first().click();
    const form = page.getByRole('form', { name: 'New administrator' });
    await form.getByLabel('Name').fill(name);
    await form.getByLabel('Role').selectOption(role);
    await form.getByLabel(access).check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: new RegExp(`(Invitation|Token) (for|of) ${name}`) });
    const secret = await dialog.locator('code').innerText();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('form', { name: `administrator ${name}` }).waitFor();
    await expect.poll(() => page.content()).not.toContain(secret);
    return secret;
  }

  describe('the search', () => {
    test.each([
      ['good day', 'Words in flows', 'greet › hello', /\/flows\/greet\?step=hello$/],
      ['bye', 'Steps', 'greet', /\/flows\/greet\?step=bye$/],
      ['7000', 'Numbers', 'greet', /\/settings\/numbers\?name=7000$/],
      ['webhooks', 'Commands', '', /\/settings\/webhooks$/],
    ])('finds %s by keys, in the group %s', async (words, group, where, address) => {
      const { page } = studio;
      await studio.open('/calls');
      await page.keyboard.press('Control+k');
      await page.locator('.palette input:focus').waitFor();
      await page.keyboard.type(words);
      const found = page
        .getByRole('group', { name: group, exact: true })
        .getByRole('option')
        .filter({ hasText: where });
      await found.first().waitFor();
      await page
        .getByRole('status')
        .getByText(/^\d+ results?$/)
        .waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      while ((await found.first().getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.waitForURL(address);
    });

    test('focuses the search of a list by /, and opens itself where there is none', async () => {
      const { page } = studio;
      await studio.open('/calls');
      await page.keyboard.press('/');
      await page.locator('main input[type=search]:focus').waitFor();
      await studio.open('/settings/health');
      await page.keyboard.press('/');
      await page.locator('.palette input:focus').waitFor();
      await page.keyboard.type('zzzz nothing');
      await page.getByRole('status').getByText('No results').waitFor();
      await page.keyboard.press('Escape');
    });
  });

  describe('administrators', () => {
    test('shows those of the file, and locks them', async () => {
      const { page } = studio;
      await studio.open('/settings/administrators?name=boss');
      const form = page.getByRole('form', { name: 'administrator boss' });
      await form.getByText('Set in the configuration file').waitFor();
      expect(await form.getByRole('button').count()).toBe(0);
    });

    test('signs in by an invitation once, and shows the token once', async () => {
      const { page } = studio;
      const link = await add(page, 'bea', 'Full access', 'Invitation');
      await page.getByRole('cell', { name: /^Invited until/ }).waitFor();
      const bea = await stranger();
      await bea.goto(link);
      const welcome = bea.getByRole('dialog', { name: 'Welcome, bea' });
      const token = await welcome.locator('code').innerText();
      expect(await accessibilityProblems(bea)).toEqual([]);
      await bea.keyboard.press('Escape');
      await expect.poll(() => bea.content()).not.toContain(token);
      const late = await stranger();
      await late.goto(link);
      await late.getByRole('alert').getByText('the link was already used or has expired').waitFor();
      pages['bea'] = await studio.signedIn(token, '/settings/administrators?name=bea');
      await pages['bea'].getByRole('cell', { name: 'bea (you)' }).waitFor();
    });

    test('shows readers no button but the one for their own token', async () => {
      const bea = pages['bea']!;
      const token = await add(bea, 'carl', 'Read only', 'Token');
      const carl = await studio.signedIn(token, '/settings/administrators?name=carl');
      pages['carl'] = carl;
      await carl.getByRole('cell', { name: 'carl (you)' }).waitFor();
      const buttons = () => carl.locator('.settings-page').getByRole('button').allInnerTexts();
      expect(await buttons()).toEqual(['boss', 'bea', 'carl (you)', 'New token for yourself']);
      await carl.getByRole('button', { name: 'bea' }).click();
      await expect.poll(buttons).toEqual(['boss', 'bea', 'carl (you)']);
      await carl.getByRole('button', { name: 'carl (you)' }).click();
      carl.once('dialog', (dialog) => void dialog.accept());
      await carl.getByRole('button', { name: 'New token for yourself' }).click();
      const renewed = carl.getByRole('dialog', { name: 'Token of carl' });
      expect(await renewed.locator('code').innerText()).not.toBe(token);
      await carl.keyboard.press('Escape');
      await carl.reload();
      await carl.getByRole('cell', { name: 'carl (you)' }).waitFor();
    });

    test('changes a role, revokes an access, and removes an administrator', async () => {
      const bea = pages['bea']!;
      const form = bea.getByRole('form', { name: 'administrator carl' });
      await form.getByLabel('Role').selectOption('Full access');
      await form.getByRole('button', { name: 'Save' }).click();
      await pages['carl']!.reload();
      await pages['carl']!.getByRole('button', { name: 'New administrator' }).waitFor();
      bea.on('dialog', (dialog) => void dialog.accept());
      await form.getByRole('button', { name: 'Revoke access' }).click();
      await bea.getByRole('cell', { name: 'No access yet' }).waitFor();
      await pages['carl']!.reload();
      await pages['carl']!.getByRole('button', { name: 'Sign in' }).waitFor();
      await form.getByRole('button', { name: 'Remove' }).click();
      await expect.poll(() => bea.getByRole('cell', { name: 'carl' }).count()).toBe(0);
    });
  });

  const sippProgram = program('sipp');

  describe.skipIf(sippProgram.missing)(`calls to phones${sippProgram.why}`, () => {
    test('rings, is answered, and leaves its way in the picture', async () => {
      const { page } = studio;
      const callee = await playCallee(
        [called(), responds(180), waits(1500), responds(200, { body: sdp() }), expects('ACK'), isHungUp()],
        { address: CARRIER, port: CARRIER_PORT, mediaPort: 16_300 },
      );
      await studio.open('/flows/greet');
      await page.getByRole('button', { name: 'Call greet with a telephone' }).click();
      const form = page.getByRole('form', { name: 'Call a phone' });
      await form.getByLabel('Number', { exact: true }).fill(OUTSIDE);
      await shows(form, '7000');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press('Enter');
      const call = page.getByRole('region', { name: 'Call to a phone' });
      await call.getByText('Ringing').waitFor();
      await call.getByText('Answered').waitFor();
      await call.getByText('Over: Hung up (normal)').waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      const { successful, output } = await callee.ended;
      expect(successful, output).toBe(1);
      await call.getByRole('link', { name: 'See what happened' }).click();
      await page.getByText(OUTSIDE).first().waitFor();
    });

    test('says why a phone was not reached, and refuses numbers of the do-not-call list', async () => {
      const { page } = studio;
      const callee = await playCallee([called(), responds(486), expects('ACK')], {
        ...{ address: CARRIER, port: CARRIER_PORT, mediaPort: 16_300 },
      });
      await studio.open('/calls');
      await page.keyboard.press('d');
      const dialog = page.getByRole('dialog', { name: 'Call a phone' });
      const number = dialog.getByLabel('Number', { exact: true });
      await service.api('POST', '/voice/v1/do-not-call', { number: OUTSIDE });
      await number.fill(OUTSIDE);
      await shows(dialog, '7000');
      await page.keyboard.press('Enter');
      await dialog.getByRole('alert').getByText('is on the do-not-call list').waitFor();
      await number.fill('+33612345679');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.getByRole('region', { name: 'Call to a phone' }).getByText('Not answered: Busy').waitFor();
      expect((await callee.ended).successful).toBe(1);
      // The browser itself writes a line for the refused request.
      expect(studio.problems.splice(0).filter((line) => !line.includes('status of 409'))).toEqual([]);
    });
  });
});
