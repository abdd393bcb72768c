/**
 * The whole studio by keyboard: from signing in, through every screen, to signing out. Nothing is clicked, and only
 * keys move the focus: a control that this test cannot reach is not accessible without a mouse.
 */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../programs.ts';
import { launchBrowser } from '../studio/graph/chromium.ts';
import { browser } from './browser.ts';
import { invite, isHungUp, playCaller, receives, request } from './scenario.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.122';
const CALLER_ADDRESS = '127.0.0.123';
const TOKEN = 'token-of-the-administrator-of-the-tests';
const FLOWS = join(import.meta.dirname, '../../flows');
const sipp = program('sipp');
const SHOWN = /^(welcome-menu|survey)\./;

describe.skipIf(browser.missing)(`the studio by keyboard alone${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let started: Browser;
  let page: Page;

  const file = (name: string): string => readFileSync(join(service.directory, 'flows', name), 'utf8');
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const type = (words: string): Promise<void> => page.keyboard.type(words);
  const hasFocus = async (wanted: Locator): Promise<boolean> => (await wanted.and(page.locator(':focus')).count()) > 0;
  const isFocused = async (wanted: Locator): Promise<void> => {
    try {
      await expect.poll(() => hasFocus(wanted), { timeout: 10_000 }).toBe(true);
    } catch (cause) {
      const focused = await page.evaluate('document.activeElement?.outerHTML.slice(0, 300)');
      throw new Error(`the focus is elsewhere: ${focused}`, { cause });
    }
  };

  /** Tab, until it has the focus. */
  const tabTo = async (wanted: Locator): Promise<void> => {
    await wanted.first().waitFor();
    for (let times = 0; times < 80; times++) {
      if (await hasFocus(wanted)) return;
      await press('Tab');
    }
    throw new Error(`Tab does not lead to ${String(wanted)}`);
  };
  /** From pane to pane: in a text, Tab is a character. */
  const paneWith = async (wanted: Locator): Promise<void> => {
    await wanted.waitFor();
    for (let times = 0; times < 6 && (await wanted.locator(':focus').count()) === 0; times++) await press('F6');
  };
  /** Through the box that finds everything. */
  const find = async (words: string): Promise<void> => {
    await press('Control+k');
    await isFocused(page.getByRole('combobox', { name: /Find/ }));
    await type(words);
    await page.getByRole('option', { selected: true }).filter({ hasText: words }).waitFor();
    await press('Enter');
  };
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });
  const card = (step: string) => page.locator(`.card[data-step="${step}"]`);

  beforeAll(async () => {
    const files = readdirSync(FLOWS).filter((name) => SHOWN.test(name));
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-keys-')),
      address: ADDRESS,
      numbers: [{ number: '1000', flow: 'welcome-menu' }],
      flows: Object.fromEntries(files.map((name) => [name, readFileSync(join(FLOWS, name), 'utf8')])),
      sip: { allow_sip_uris: [CALLER_ADDRESS] },
      more: { admin: { token: TOKEN } },
    });
    started = await launchBrowser();
    page = await started.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(10_000);
  }, 90_000);
  afterAll(async () => {
    await started?.close();
    // The call of the broadcast still waits for an answer.
    await service?.kill();
  });

  test('signs in by keyboard only', async () => {
    await page.goto(`${service.url}/studio/`);
    await isFocused(page.getByLabel('Project'));
    await press('Tab');
    await type(TOKEN);
    await press('Enter');
    await heading('Flows').waitFor();
  });

  test('walks the list of flows, and opens one', async () => {
    const rows = page.getByRole('link', { name: /^(survey|welcome-menu)/ });
    await isFocused(rows.nth(0));
    await press('ArrowDown');
    await isFocused(rows.nth(1));
    // Alone, `x` would ask whether to delete the flow.
    await press('g', 'x');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await press('/');
    await type('welcome');
    await press('Enter');
    await isFocused(page.getByRole('link', { name: /^welcome-menu/ }));
    await press('Enter');
    await card('welcome').waitFor();
  });

  test('edits a flow in the graph: words, a step more and less, a name, and saves', async () => {
    await press('F6');
    await isFocused(card('welcome'));
    await press('w');
    const words = page.getByRole('dialog').getByRole('textbox');
    await isFocused(words);
    await press('Control+a');
    await type('Good morning.');
    await press('Enter');
    await card('welcome').getByText('Good morning.').waitFor();

    await isFocused(card('welcome'));
    await press('a');
    await isFocused(page.getByRole('combobox', { name: /Search steps/ }));
    await type('pause');
    await press('Enter');
    await card('pause').waitFor();
    await isFocused(card('pause'));
    await press('x');
    await card('pause').waitFor({ state: 'detached' });
    await isFocused(card('welcome'));

    await press('r');
    await isFocused(page.getByLabel('New name'));
    await press('Control+a');
    await type('greeting');
    await press('Enter');
    await card('greeting').waitFor();
    await press('o');
    await isFocused(page.getByRole('treeitem', { selected: true }));
    await press('o');
    await isFocused(card('greeting'));
    await press('Control+s');
    await page.getByRole('status').filter({ hasText: 'welcome-menu is saved' }).waitFor();
    expect(file('welcome-menu.flow.yaml')).toContain('greeting: { play: welcome, next: menu }');
    expect(file('welcome-menu.flow.yaml')).toContain('welcome: Good morning.');
  });

  test('edits the text, and goes from pane to pane', async () => {
    // The column begins with the form.
    await press('Control+.', 'F6');
    const text = page.getByRole('textbox', { name: 'Text of welcome-menu' });
    await isFocused(text);
    await press('Control+End');
    await type('# written by keys');
    await press('Control+s');
    await expect.poll(() => file('welcome-menu.flow.yaml')).toContain('# written by keys');
    await press('F1');
    await page.getByRole('region', { name: 'Help' }).waitFor();
    await press('F6');
    await page.getByRole('region', { name: 'Help' }).and(page.locator(':focus, :focus-within')).waitFor();
    await press('F1', 'F6');
    await isFocused(page.locator('.card'));
  });

  test('says how the keys are called, and where to call', async () => {
    await press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Change the words that callers hear').waitFor();
    await press('Escape', 'p');
    await page
      .getByRole('dialog', { name: /telephone/ })
      .getByText(`sip:1000@${ADDRESS}:5060`, { exact: true })
      .waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('makes a simulated call, and keeps it as a test', async () => {
    await press('F9');
    const conversation = page.getByRole('list', { name: 'Conversation' });
    await conversation.getByText('Good morning.').waitFor();
    await press('1');
    await conversation.getByText('We are here Monday to Friday').waitFor();
    await press('h');
    await page.locator('.phone-over', { hasText: 'Call ended' }).waitFor();
    await press('t');
    await isFocused(page.getByLabel('Test name'));
    await type('somebody asks for the hours');
    await press('Enter');
    await page.getByText(/^Test saved as/).waitFor();
    await press('F9');
    await conversation.waitFor({ state: 'detached' });
  });

  test('runs the tests, and looks at one', async () => {
    await press('Shift+F9');
    const tests = page.getByRole('region', { name: 'Tests' });
    const kept = tests.getByRole('button', { name: /passed: somebody asks for the hours/ });
    await paneWith(tests);
    await tabTo(kept);
    await press('Enter');
    await page.locator('.card.visited').first().waitFor();
    await press('e');
    await page.getByRole('dialog').locator(':focus').waitFor();
    await press('Escape', 'Shift+F9');
    await tests.waitFor({ state: 'detached' });
  });

  test('compares two versions of a flow', async () => {
    await press('v');
    await heading(/welcome-menu/).waitFor();
    await page.getByText('greeting').first().waitFor();
    await press('n', 't');
    await page.getByRole('region', { name: /beside:/ }).waitFor();
    await press('Escape');
    await isFocused(page.locator('.page-body, .card'));
  });

  test('makes a number, and reaches every page of the settings', async () => {
    await press('g', 's');
    await heading(/Numbers/).waitFor();
    await press('n');
    const form = page.getByRole('form', { name: 'New number' });
    await isFocused(form.getByRole('textbox', { name: 'number' }));
    await type('7001');
    await tabTo(form.getByLabel('Flow', { exact: true }));
    await type('survey');
    await tabTo(form.getByRole('button', { name: 'Save' }));
    await press('Enter');
    await tabTo(page.getByRole('button', { name: '7001' }));
    for (const name of ['Users', 'Routes', 'Prompts', 'Schedules', 'Projects', 'Webhooks', 'Health']) {
      await tabTo(page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name }));
      await press('Enter');
      await heading(new RegExp(name)).waitFor();
    }
    await page.getByText('Live calls').waitFor();
  });

  test('opens a broadcast, and the form of a new one', async () => {
    const made = await service.api('POST', '/voice/v1/broadcast', {
      application_name: 'reminder',
      flow: 'survey',
      from: '1000',
      broadcast_numbers_array: ['sip:nobody@127.0.0.123:5099'],
    });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    await press('g', 'b');
    await tabTo(page.getByRole('link', { name: 'reminder' }));
    await press('Enter');
    await page.getByRole('progressbar').waitFor();
    await press('Escape');
    await page.getByRole('link', { name: 'reminder' }).waitFor();
    await press('n');
    await heading(/New broadcast/).waitFor();
    await tabTo(page.getByRole('main').getByRole('textbox'));
    await press('Escape', 'Escape');
    await page.getByRole('link', { name: 'reminder' }).waitFor();
  });

  test.skipIf(sipp.missing)(
    `finds a live call, watches it, goes through its moments, and hangs it up${sipp.why}`,
    async () => {
      const ends = {
        target: service.sip,
        number: '7001',
        calls: 1,
        address: CALLER_ADDRESS,
        port: 5070,
        mediaPort: 16_000,
      };
      const patient = ['-recv_timeout', '60000', '-timeout', '60s'];
      const run = await playCaller([invite(), receives(200), request('ACK'), isHungUp()], { ...ends, more: patient });
      const list = page.getByRole('listbox', { name: 'Calls', exact: true });
      const row = list.getByRole('option').filter({ hasText: '7001' });
      const moment = page.getByRole('slider', { name: 'Moment of the call' });
      const momentText = () => moment.getAttribute('aria-valuetext');

      await press('g', 'c');
      await row.waitFor();
      await press('ArrowDown');
      await isFocused(list);
      await press('/');
      await type('is:live to:7001');
      await press('Enter');
      await isFocused(list);
      await press('Shift+Tab');
      await tabTo(page.getByRole('link', { name: 'Live calls of survey' }));
      await press('Enter');
      await page.getByRole('listbox', { name: 'Live calls' }).getByRole('option').first().waitFor();
      await press('ArrowDown');
      await isFocused(page.getByRole('listbox', { name: 'Live calls' }));
      await press('Escape');
      await row.waitFor();
      await press('ArrowUp');
      await isFocused(list);
      await press('Enter');

      await page.locator('.card.now').waitFor();
      await press('Home');
      await expect.poll(momentText).toContain('0:00.0');
      const first = await momentText();
      await press('ArrowRight');
      await expect.poll(momentText).not.toBe(first);
      await paneWith(page.getByRole('region', { name: 'Journal' }));
      await tabTo(page.getByRole('listbox', { name: 'Journal' }));
      await press('Home');
      await expect.poll(momentText).toBe(first);
      await press('h');
      await tabTo(page.getByRole('dialog').getByRole('button', { name: 'Hang up', exact: true }));
      await press('Enter');
      await page.getByRole('option').filter({ hasText: 'call ended' }).waitFor();
      await run.ended;
      await press('Escape');
      await page.getByRole('searchbox', { name: 'Filter' }).waitFor();
    },
  );

  test('goes to the conferences and to the tests of all flows', async () => {
    await press('g', 'm');
    await heading(/Conferences/).waitFor();
    await press('g', 't');
    await heading(/Tests/).waitFor();
  });

  test('signs out by keyboard only', async () => {
    await find('Sign out');
    await isFocused(page.getByLabel('Project'));
  });
});
