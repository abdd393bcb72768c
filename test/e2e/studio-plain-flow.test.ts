/** Building a plain flow in a real browser: what the graph, the simulator and the messages promise. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { APP_ID, APP_KEY, type Service, startService } from './service.ts';

const TOKEN = 'token-of-the-baker-on-the-corner';
const BAKERY = `# The bakery on the corner.
flow: bakery
prompts:
  hello: Welcome to the bakery.
  choose: Press 1 for bread and 2 for cake.
  bread: Bread is ready.
  cake: Cake is sold out.
defaults: { exits: { error: bye, exhausted: bye } }
start: hello
steps:
  hello: { play: hello, next: menu }
  menu:
    menu: { prompt: choose, choices: { bread: { dtmf: "1" }, cake: { dtmf: "2" } } }
    exits: { bread: bread, cake: cake }
  bread: { play: bread, next: bye }
  cake: { play: cake, next: bye }
  bye: { hangup: normal }
`;

/** In the page: the unsaved texts that it keeps. */
const KEPT_TEXTS = `new Promise((resolve) => {
  const opened = indexedDB.open('callweave-studio');
  opened.onsuccess = () => {
    const all = opened.result.transaction('unsaved').objectStore('unsaved').getAll();
    all.onsuccess = () => resolve(JSON.stringify(all.result));
  };
})`;

describe.skipIf(browser.missing)(`a plain flow in a browser${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;
  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-plain-')),
      address: '127.0.0.144',
      numbers: [{ number: '7000', flow: 'bakery' }],
      more: { admin: { token: TOKEN } },
      flows: { 'bakery.flow.yaml': BAKERY },
    });
    studio = await openStudio(service);
  }, 120_000);
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await studio.page.keyboard.press(key);
  };
  const conversation = () => studio.page.getByRole('list', { name: 'Conversation' });
  const hears = (words: string): Promise<void> => conversation().getByText(words).first().waitFor();
  const button = (name: string | RegExp): Locator => studio.page.getByRole('button', { name });
  const card = (step: string): Locator => studio.page.locator(`[data-step="${step}"]`);
  const focusedStep = (): Promise<string | undefined> =>
    studio.page.evaluate('document.activeElement?.dataset?.step') as Promise<string | undefined>;
  /** Request below the flow, as the administrator. */
  const admin = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'if-none-match': '*' };
    return (await service.api(method, `/admin/v1/flows/bakery${path}`, body, headers)).body;
  };
  const openEditor = async (): Promise<void> => {
    await studio.open('/flows/bakery');
    await studio.page.locator('.cm-content').waitFor();
    await card('bread').waitFor();
  };

  describe('a simulated call kept as a test', () => {
    const simulateBread = async (): Promise<void> => {
      await studio.open('/flows/bakery/simulate');
      await hears('Press 1 for bread and 2 for cake.');
      await press('1');
      await hears('Bread is ready.');
      await press('t');
    };

    test('passes, because each key precedes the prompt that it causes', async () => {
      const { page } = studio;
      await simulateBread();
      await page.getByLabel('Test name').fill('bread is ready');
      const text = page.getByLabel('Test text');
      await expect
        .poll(() => text.inputValue())
        .toContain('  - hear: hello\n  - hear: choose\n  - press: "1"\n  - hear: bread\n');
      await press('Enter');
      await page.getByText('Test saved as bakery.bread-is-ready.test.yaml').waitFor();
      await studio.open('/flows/bakery/tests');
      await page.getByRole('region', { name: 'Tests' }).getByText('1 test passes').waitFor();
    });

    test('is not saved if it does not pass; the dialog says what differs', async () => {
      const { page } = studio;
      await simulateBread();
      await page.getByLabel('Test name').fill('cake is ready');
      await page.getByLabel('Prompt 3').fill('Cake is ready');
      await page.getByLabel('Test name').press('Enter');
      const problem = page.getByRole('alert').filter({ hasText: 'Not saved, because the test does not pass.' });
      await problem.filter({ hasText: 'Cake is ready' }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await button('Cancel').click();
      const { tests } = await admin('GET', '/tests');
      expect((tests as { file: string }[]).map(({ file }) => file)).toEqual(['bakery.bread-is-ready.test.yaml']);
    });

    test('leaves the call as it was when it is cancelled', async () => {
      const { page } = studio;
      await studio.open('/flows/bakery/simulate');
      await hears('Press 1 for bread and 2 for cake.');
      await press('t');
      await expect.poll(() => page.getByLabel('Test text').inputValue()).toContain('ended: hangup');
      await button('Cancel').click();
      await press('2');
      await hears('Cake is sold out.');
    });
  });

  test('takes over the new times of tests on the page to publish, if only words have changed', async () => {
    const { page } = studio;
    const timed = (duration: string): string =>
      `test: timed\nflow: bakery\nscript: [{ hear: hello }, { hear: choose }, { press: "1" }]\nexpect: { duration: ${duration} }\n`;
    const tests = { 'bakery.timed.test.yaml': timed('1s') };
    const { reports } = await admin('POST', '/tests/run', { tests, filter: 'timed' });
    const [{ duration_ms: ms }] = reports as [{ duration_ms: number }];
    await admin('PUT', '/tests/bakery.timed.test.yaml', { text: timed(`${ms}ms`) });
    await admin('POST', '/versions', { text: BAKERY.replace('Bread is ready.', 'Bread is ready and still warm.') });
    await studio.open('/flows/bakery/versions?view=publish');
    await page.getByText('1 of 2 tests fails').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await button('Take over the new times').click();
    await page.getByText('New times taken over in 1 test').waitFor();
    await page.locator('.conditions .good', { hasText: 'Tests pass' }).waitFor();
    const taken = (await admin('GET', '/tests'))['tests'] as { file: string; text: string }[];
    expect(taken.find(({ file }) => file === 'bakery.timed.test.yaml')!.text).not.toContain(`${ms}ms`);
  });

  describe('undo', () => {
    test('reverts a change of the graph by key, and selects the step that has come back', async () => {
      const { page } = studio;
      await openEditor();
      expect(await button('Undo').getAttribute('aria-disabled')).toBe('true');
      await card('bread').click();
      await press('x');
      await expect.poll(() => card('bread').count()).toBe(0);
      await button('Undo: delete bread').waitFor();
      await press('Control+z');
      await card('bread').waitFor();
      await page.locator('[data-step="bread"].selected').waitFor();
      await expect.poll(focusedStep).toBe('bread');
      await expect.poll(() => page.locator('.cm-content').innerText()).toContain('bread: { play: bread, next: bye }');
      await button('Redo: delete bread').waitFor();
      await press('Control+Shift+Z');
      await expect.poll(() => card('bread').count()).toBe(0);
      await button('Undo: delete bread').click();
      await card('bread').waitFor();
      await press('Control+y');
      await expect.poll(() => card('bread').count()).toBe(0);
      await press('Control+z');
      await card('bread').waitFor();
    });

    test('has one history for the text, the graph and the outline', async () => {
      const { page } = studio;
      await openEditor();
      await page.locator('.cm-content').getByText('# The bakery on the corner.').click();
      await press('End');
      await page.keyboard.type(' Closed');
      await button('Undo: typing').waitFor();
      await card('cake').click();
      await press('x');
      await button('Undo: delete cake').waitFor();
      await press('o');
      const inOutline = page.getByRole('treeitem', { name: /^cake/ });
      await expect.poll(() => inOutline.count()).toBe(0);
      await page.getByRole('treeitem', { name: /^hello/ }).focus();
      await press('Control+z');
      await inOutline.first().waitFor();
      await press('Control+z');
      await expect.poll(() => page.locator('.cm-content').innerText()).not.toContain('Closed');
      expect(await button('Undo').getAttribute('aria-disabled')).toBe('true');
      await press('Control+z');
      await page.getByText('Nothing to undo').waitFor();
      await press('o');
    });

    test('leaves the keys to fields of a dialog, and is listed', async () => {
      const { page } = studio;
      await openEditor();
      await card('cake').click();
      await press('x');
      await button('Undo: delete cake').waitFor();
      await card('hello').click();
      await press('r');
      await page.getByLabel('New name').fill('greeting');
      await press('Control+z');
      await page.keyboard.press('Escape');
      await button('Undo: delete cake').waitFor();
      await press('?');
      await page.getByRole('dialog').getByText('Undo', { exact: true }).waitFor();
      await page.getByRole('dialog').getByText('Redo', { exact: true }).waitFor();
      await press('Escape', 'Control+z');
      await card('cake').waitFor();
    });
  });

  describe('messages', () => {
    const message = (words: string): Locator => studio.page.locator('.messages p', { hasText: words });

    test('ends an error when the next attempt succeeds, and shows it at the bottom left', async () => {
      const { page } = studio;
      await openEditor();
      await page.locator('.cm-content').getByText('# The bakery on the corner.').click();
      await press('End');
      await page.keyboard.type('\nwrong: yes');
      await press('Control+s');
      await message('Not saved').waitFor();
      const { x } = (await message('Not saved').boundingBox())!;
      expect(x).toBeLessThan(200);
      await press('Control+s');
      await expect.poll(() => message('Not saved').count()).toBe(1);
      for (let times = 0; times < '\nwrong: yes'.length; times++) await press('Backspace');
      await page.keyboard.type(' Open.');
      await press('Control+s');
      await message('bakery is saved').waitFor();
      expect(await message('Not saved').count()).toBe(0);
      await page.locator('.messages p').getByRole('button', { name: 'Dismiss' }).focus();
    });

    test('ends with the screen that the message is about', async () => {
      const { page } = studio;
      await openEditor();
      await page.locator('.cm-content').getByText('# The bakery on the corner.').click();
      await press('End');
      await page.keyboard.type('\nwrong: yes');
      await press('Control+s');
      await message('Not saved').waitFor();
      await page.getByRole('link', { name: 'Calls' }).click();
      await page.getByText('No calls yet').waitFor();
      expect(await message('Not saved').count()).toBe(0);
    });
  });

  describe('unsaved text', () => {
    const typeRemark = async (page: Page, words: string): Promise<void> => {
      await page.locator('.cm-content').getByText('# The bakery on the corner.').click();
      await page.keyboard.press('End');
      await page.keyboard.type(words);
    };

    test('survives its tab, and is offered in the list and in the editor', async () => {
      const tab = await studio.another();
      await tab.goto(`${service.url}/studio/flows/bakery`);
      await tab.locator('.cm-content').waitFor();
      await typeRemark(tab, ' Not saved yet.');
      // A read in the page follows all of its writes.
      expect(await tab.evaluate(KEPT_TEXTS)).toContain('Not saved yet.');
      await tab.close();
      const { page } = studio;
      await studio.open('/flows');
      await page.locator('.flow-list li', { hasText: 'bakery' }).getByText('your draft').waitFor();
      await openEditor();
      await button(/^Continue your draft/).click();
      await page.locator('.cm-content').getByText('Not saved yet.').waitFor();
      await button('Undo: restore unsaved changes').click();
      await expect.poll(() => page.locator('.cm-content').innerText()).not.toContain('Not saved yet.');
      await studio.open('/flows');
      await page.locator('.flow-list li', { hasText: 'bakery' }).waitFor();
      expect(await page.getByText('your draft').count()).toBe(0);
    });

    test('stays while the service does not answer, which a bar says', async () => {
      const { page } = studio;
      await openEditor();
      const status = page.locator('.status [role=status]');
      const before = await status.innerText();
      await page.context().setOffline(true);
      await typeRemark(page, ' Offline.');
      await page.getByText('Not connected.').waitFor();
      expect(await status.innerText()).toBe('not connected, not checked');
      expect(await accessibilityProblems(page)).toEqual([]);
      await page.context().setOffline(false);
      await expect.poll(() => status.innerText()).toBe(before);
      expect(await page.getByText('Not connected.').count()).toBe(0);
      for (let times = 0; times < ' Offline.'.length; times++) await press('Backspace');
    });

    test('is kept when the session ends, and the sign-in form says so', async () => {
      const theirs = await studio.signedIn(TOKEN, '/flows/bakery');
      await theirs.locator('.cm-content').waitFor();
      await theirs.context().clearCookies();
      await typeRemark(theirs, ' Signed out.');
      await theirs.getByText('You were signed out. Unsaved changes are kept').waitFor();
      expect(await theirs.getByText('Authorization').count()).toBe(0);
      await theirs.getByLabel('Key or token').fill(TOKEN);
      await theirs.getByRole('button', { name: 'Sign in' }).click();
      await theirs.getByRole('button', { name: /^Continue your draft/ }).click();
      await theirs.locator('.cm-content').getByText('Signed out.').waitFor();
      await theirs.close();
    });
  });

  describe('the first screen', () => {
    test('is the first one of the role: projects begin with their calls', async () => {
      const theirs = await studio.signedIn(APP_KEY, '/', APP_ID);
      await theirs.getByRole('heading', { name: 'Calls' }).waitFor();
      expect(await theirs.getByText('There is no such page').count()).toBe(0);
      await theirs.close();
    });

    test('lets Enter open the marked row right after it was opened by keys', async () => {
      const { page } = studio;
      await studio.open('/calls');
      await press('g', 'f');
      await page.locator('.flow-list li').first().waitFor();
      await expect.poll(() => page.evaluate('document.activeElement.closest("li") !== null')).toBe(true);
      const name = await page.locator('.flow-list [aria-current="true"] strong').innerText();
      await press('Enter');
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/studio/flows/${name}`);
    });
  });

  test('has no errors in the page, and loads nothing from other origins', () => {
    // Answers of the service that these tests ask for.
    const unexpected = studio.problems.filter((problem) => !/status of 422|ERR_INTERNET_DISCONNECTED/.test(problem));
    expect(unexpected).toEqual([]);
    expect(readFileSync(join(service.directory, 'flows/bakery.flow.yaml'), 'utf8')).toContain('Open.');
  });
});
