/**
 * The studio in Chromium with a running service, and a call from sipp to the edited flow. Skipped, with the reason, if
 * Chromium or sipp is not installed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../programs.ts';
import { accessibilityProblems } from '../studio/axe.ts';
import { launchBrowser, noBrowser } from '../studio/graph/chromium.ts';
import { CHOOSES_YAML, studioLink } from './browser.ts';
import { invite, isHungUp, playCaller, receives, request } from './scenario.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.96';
const CALLER_ADDRESS = '127.0.0.97';
const CALLER_PORT = 5096;
const TOKEN = 'token-of-the-administrator-of-the-tests';
const FLOW = readFileSync(join(import.meta.dirname, '../../flows/welcome-menu.flow.yaml'), 'utf8');

const TEST = `test: nobody chooses
flow: welcome-menu
script: [{ wait: 60s }] # until it gives up
expect:
  path: [welcome, menu, nobody, bye]
`;

const sippProgram = program('sipp');
const why = noBrowser === undefined ? sippProgram.why : ` (skipped: ${noBrowser})`;

/** All of them share two cores with others. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });

/** Violations that a page must not cause. */
interface Watched {
  page: Page;
  wrong: string[];
}

/** Proposals are taken by Enter only when they were seen for a moment. */
const framesPass = (page: Page): Promise<unknown> =>
  page.evaluate(`new Promise((done) => {
    let frames = 12;
    const pass = () => (frames-- > 0 ? requestAnimationFrame(pass) : done());
    pass();
  })`);

describe.skipIf(why !== '')(`the studio in Chromium${why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let browser: Browser;
  let context: BrowserContext;
  const opened: Watched[] = [];

  const fileOf = (): string => readFileSync(join(service.directory, 'flows/welcome-menu.flow.yaml'), 'utf8');

  const open = async (path: string, settings: Parameters<Browser['newContext']>[0] = {}): Promise<Page> => {
    const own = Object.keys(settings).length > 0;
    const state = await context.storageState();
    const page = await (own ? await browser.newContext({ ...settings, storageState: state }) : context).newPage();
    watch(page);
    await page.goto(`${service.url}/studio${path}`);
    return page;
  };

  const watch = (page: Page): void => {
    const wrong: string[] = [];
    opened.push({ page, wrong });
    page.on('pageerror', (error) => wrong.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/i.test(message.text())) wrong.push(message.text());
    });
    page.on('request', (made) => {
      const { origin, protocol } = new URL(made.url());
      if (/^https?:$/.test(protocol) && origin !== service.url) wrong.push(`asked ${origin}`);
    });
  };

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-')),
      address: ADDRESS,
      numbers: [{ number: '1000', flow: 'welcome-menu', project: 'demo' }],
      flows: { 'welcome-menu.flow.yaml': FLOW },
      more: { admin: { token: TOKEN } },
    });
    browser = await launchBrowser();
    context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.addInitScript(CHOOSES_YAML);
    const page = await context.newPage();
    watch(page);
    await page.goto(studioLink(service));
    await page.getByRole('link', { name: /^welcome-menu/ }).waitFor();
  }, 60_000);

  afterEach(async () => {
    for (const { page, wrong } of opened.splice(0)) {
      expect(wrong).toEqual([]);
      await page.close({ runBeforeUnload: false });
    }
    writeFileSync(join(service.directory, 'flows/welcome-menu.flow.yaml'), FLOW);
  });

  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const card = (page: Page, step: string) => page.locator(`[data-step="${step}"]`).first();
  const saveButton = (page: Page) => page.getByRole('button', { name: /^Save Ctrl/ });
  const text = (page: Page) => page.locator('.text-editor .cm-content');
  const press = async (page: Page, ...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };

  /** Leads the only exit of a step elsewhere, by the letters that the cards show. */
  const leadTo = async (page: Page, step: string, target: string): Promise<void> => {
    await card(page, step).click({ position: { x: 40, y: 12 } });
    await press(page, 'e');
    const letters = await card(page, target).locator('.hint').textContent();
    await press(page, ...letters!);
  };

  it('changes a way in the graph by keys, saves one line, and a real call takes it', async () => {
    const page = await open('/flows');
    await page.getByRole('link', { name: /^welcome-menu/ }).focus();
    await press(page, 'Enter');
    await card(page, 'welcome').waitFor();
    await press(page, 'F6', 'Home');
    await leadTo(page, 'welcome', 'goodbye');
    await page.getByText(/not saved|Draft · saved/).waitFor();
    await press(page, 'Control+s');
    await eventually(fileOf).toBe(FLOW.replace('play: welcome, next: menu }', 'play: welcome, next: goodbye }'));

    const call = await playCaller([invite(), receives(200), request('ACK'), isHungUp()], {
      target: service.sip,
      address: CALLER_ADDRESS,
      port: CALLER_PORT,
      number: '1000',
    });
    expect(await call.ended).toMatchObject({ successful: 1, failed: 0 });
    const { body } = await service.api('GET', '/voice/v1/calls');
    const [made] = body['calls'] as { voice_id: string }[];
    const journal = await service.api('GET', `/voice/v1/call/${made!.voice_id}/journal`);
    const entered = (journal.body['entries'] as { kind: string; step?: string }[]).filter(
      ({ kind }) => kind === 'entered',
    );
    expect(entered.map(({ step }) => step)).toEqual(['welcome', 'goodbye', 'bye']);
  });

  it('moves the graph when the text is edited, and undoes edits of both sides in one history', async () => {
    const page = await open('/flows/welcome-menu');
    await leadTo(page, 'welcome', 'goodbye');
    await text(page).click();
    await press(page, 'Control+End');
    await page.keyboard.type('  extra: { pl');
    // The verb is completed by its beginning.
    await page.getByRole('option', { name: /^play/ }).waitFor();
    await framesPass(page);
    await press(page, 'Enter');
    await page.keyboard.type('goodbye, next: bye }');
    await press(page, 'Escape');
    await card(page, 'extra').waitFor();
    await eventually(() => card(page, 'extra').getAttribute('class')).toContain('selected');
    await text(page).focus();
    for (let times = 0; times < 40 && !(await saveButton(page).isDisabled()); times++) await press(page, 'Control+z');
    await eventually(() => card(page, 'extra').count()).toBe(0);
    await eventually(() => saveButton(page).isDisabled()).toBe(true);
  });

  it('keeps the last sound drawing while the text is broken, and repairs a mistyped step from the list', async () => {
    const page = await open('/flows/welcome-menu');
    await text(page).click();
    await press(page, 'Control+End');
    await page.keyboard.type('  extra: { play: goodbye, next: byx');
    await press(page, 'Escape');
    await page.getByText('The YAML is invalid').waitFor();
    expect(await card(page, 'menu').count()).toBe(1);
    await page.keyboard.type(' }');
    await page.getByRole('button', { name: 'Write bye' }).click();
    await eventually(() => text(page).textContent()).toContain('extra: { play: goodbye, next: bye }');
    await page.getByRole('button', { name: 'Write bye' }).waitFor({ state: 'detached' });
  });

  it('lets two tabs conflict and keeps the edits of both', async () => {
    const [one, other] = [await open('/flows/welcome-menu'), await open('/flows/welcome-menu')];
    await card(one, 'welcome').waitFor();
    await card(other, 'welcome').waitFor();
    await leadTo(one, 'hours', 'goodbye');
    await press(one, 'Control+s');
    await eventually(fileOf).toContain('hours: { play: hours, next: goodbye }');
    await leadTo(other, 'how', 'goodbye');
    await press(other, 'Control+s');
    await other.getByRole('dialog', { name: /saved this flow/ }).waitFor();
    expect(fileOf()).not.toContain('how: { play: how, next: goodbye }');
    await other.getByRole('button', { name: 'Merge both' }).click();
    await press(other, 'Control+s');
    await eventually(fileOf).toContain('how: { play: how, next: goodbye }');
    expect(fileOf()).toContain('hours: { play: hours, next: goodbye }');
  });

  it('offers unsaved text again', async () => {
    const page = await open('/flows/welcome-menu');
    await leadTo(page, 'how', 'goodbye');
    await page.getByText(/not saved|Draft · saved/).waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByRole('button', { name: /^Continue your draft/ }).click();
    await eventually(() => text(page).textContent()).toContain('how: { play: how, next: goodbye }');
    expect(fileOf()).toBe(FLOW);
  });

  it('offers to save a text with errors as a draft', async () => {
    const page = await open('/flows/welcome-menu');
    await text(page).click();
    await press(page, 'Control+End');
    await page.keyboard.type('  extra: { play: goodbye, next: nowhere_at_all }');
    await press(page, 'Escape', 'Control+s');
    await page.getByRole('alert').filter({ hasText: 'Not saved' }).waitFor();
    expect(fileOf()).toBe(FLOW);
    await page.getByRole('button', { name: 'Save as draft' }).click();
    await eventually(fileOf).toContain('nowhere_at_all');
  });

  it('renames a step everywhere by F2, finds its ways in, and goes to problems', async () => {
    const test = join(service.directory, 'flows/welcome-menu.silence.test.yaml');
    writeFileSync(test, TEST);
    const page = await open('/flows/welcome-menu');
    await card(page, 'nobody').click();
    await press(page, 'F2');
    await page.getByRole('dialog').locator(':focus').waitFor();
    await page.keyboard.type('nobody_there');
    await press(page, 'Enter');
    await eventually(() => text(page).textContent()).toContain('exhausted: nobody_there');
    await press(page, 'Shift+F12');
    await page.getByRole('dialog', { name: 'Ways to nobody_there' }).waitFor();
    await press(page, 'Escape', 'Control+s');
    await eventually(fileOf).toBe(
      FLOW.replace('exhausted: nobody', 'exhausted: nobody_there').replace('  nobody: {', '  nobody_there: {'),
    );
    await eventually(() => readFileSync(test, 'utf8')).toBe(TEST.replace('nobody,', 'nobody_there,'));
    rmSync(test);
  });

  it('makes a flow from another one by keys, and lists it', async () => {
    const page = await open('/flows');
    await page.getByRole('link', { name: /^welcome-menu/ }).waitFor();
    await press(page, 'n');
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('mine');
    await press(page, 'Tab');
    await page.keyboard.type('welcome-menu');
    await page
      .getByRole('radio', { name: /^welcome-menu/ })
      .and(page.locator(':checked'))
      .waitFor({ state: 'attached' });
    await press(page, 'Enter');
    await card(page, 'menu').waitFor();
    const made = readFileSync(join(service.directory, 'flows/mine.flow.yaml'), 'utf8');
    expect(made).toBe(FLOW.replace('flow: welcome-menu', 'flow: mine'));
    await press(page, 'g', 't');
    await page.getByText('This flow has no tests yet.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/studio/flows/mine/tests');
    await press(page, 'g', 't');
    await page.getByRole('heading', { name: 'Tests', exact: true }).waitFor();
    await page.getByText('Without tests').getByRole('link', { name: 'mine' }).waitFor();
    await press(page, 'g', 'f');
    await page.getByRole('link', { name: /^mine/ }).waitFor();
    await press(page, '/');
    await page.keyboard.type('min');
    await page.getByRole('link', { name: /^mine/ }).waitFor();
    await eventually(() => page.getByRole('link', { name: /^welcome-menu/ }).count()).toBe(0);
  });

  it('makes a flow from an example', async () => {
    const page = await open('/flows');
    await page.getByRole('link', { name: /^welcome-menu/ }).waitFor();
    await press(page, 'n');
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('voices');
    await page.getByRole('radio', { name: /^Voicemail/ }).check({ force: true });
    await page.getByRole('button', { name: 'Create flow' }).click();
    await card(page, 'message').waitFor();
    expect(readFileSync(join(service.directory, 'flows/voices.flow.yaml'), 'utf8')).toMatch(/^flow: voices\n/);
  });

  it.each([
    ['the list', '/flows', 1280],
    ['the editor with help', '/flows/welcome-menu?step=menu&help=yes', 1280],
    ['the outline of a phone', '/flows/welcome-menu?step=menu', 390],
    ['the text of a phone', '/flows/welcome-menu?show=text&step=menu', 390],
  ])('passes axe on %s, in light and in dark colours', async (_, path, width) => {
    const page = await open(path, { viewport: { width, height: 800 } });
    await page.locator('.flow-list li, .canvas').first().waitFor({ state: 'attached' });
    expect(await accessibilityProblems(page, { isStrict: true })).toEqual([]);
  });
});
