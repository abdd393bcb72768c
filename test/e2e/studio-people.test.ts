/**
 * Two people in one flow, each in a browser of their own: they see each other, the saves of the other, their drafts and
 * their comments. Against the started service.
 */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

const FLOW = `flow: bakery
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: Welcome to the bakery., next: hours }
  hours: { play: We open at seven., next: bye }
  bye: { hangup: normal }
`;
const tokenOf = (name: string): string => `the-token-of-the-person-${name}`;
/** Pictures of the states that the tests pass, for a look at them. */
const PICTURES = process.env['CALLWEAVE_PICTURES'];

describe.skipIf(browser.missing)(`people in the studio${browser.why}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;
  const opened: Page[] = [];

  const file = (): string => join(service.directory, 'flows/bakery.flow.yaml');
  const saved = (): string => readFileSync(file(), 'utf8');
  const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });
  const card = (on: Page, step: string): Locator => on.locator(`.card[data-step="${step}"]`);
  const select = (on: Page, step: string) => card(on, step).click({ position: { x: 60, y: 12 } });
  const words = (on: Page): Locator => on.locator('.form [data-field="play.prompt"]').getByRole('textbox').first();

  const person = async (name: string, path = '/flows/bakery'): Promise<Page> => {
    const page = await studio.signedIn(tokenOf(name), path);
    page.setDefaultTimeout(15_000);
    opened.push(page);
    await page.getByRole('navigation', { name: 'Studio' }).waitFor();
    if (path === '/flows/bakery') await page.locator('.card').first().waitFor();
    return page;
  };
  const picture = async (page: Page, name: string): Promise<void> => {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`) });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    const size = page.viewportSize()!;
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      await page.screenshot({ path: join(PICTURES, `${name}-${width}.png`) });
    }
    await page.setViewportSize(size);
  };

  beforeAll(async () => {
    const token = (name: string, role: string) => ({ name, token: tokenOf(name), role });
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-people-')),
      address: '127.0.0.153',
      numbers: [{ number: '1000', flow: 'bakery' }],
      flows: { 'bakery.flow.yaml': FLOW },
      more: { admin: { tokens: [token('ann', 'full'), token('Bea', 'full'), token('eve', 'read')] } },
    });
    studio = await openStudio(service, { width: 1440, height: 900, column: 'form' });
  }, 90_000);
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.context().close();
    writeFileSync(file(), FLOW);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('shows the people in the flow with their step and field, until their tab is closed', async () => {
    const ann = await person('ann');
    const list = await person('eve', '/flows');
    const bea = await person('Bea');
    await select(bea, 'hours');
    const here = ann.getByRole('list', { name: 'People in this flow' });
    await here.getByRole('button', { name: 'Bea, at hours' }).waitFor();
    await eventually(() => card(ann, 'hours').getAttribute('aria-label')).toContain('Bea here');
    await card(ann, 'hours').locator('.person-ring').waitFor();
    await words(bea).click();
    await here.getByRole('button').click();
    await ann.getByText('Bea is editing these words').waitFor();
    await eventually(() =>
      list
        .getByRole('link', { name: /bakery/ })
        .first()
        .textContent(),
    ).toContain('in this flow');
    await picture(ann, 'presence');
    await picture(list, 'presence-list');
    expect(await accessibilityProblems(ann)).toEqual([]);
    await bea.context().close();
    await here.waitFor({ state: 'detached' });
    expect(await ann.getByText('Bea is editing').count()).toBe(0);
  });

  test('reports a save of the other person at once, and merges it with the own changes', async () => {
    const [ann, bea] = [await person('ann'), await person('Bea')];
    await select(ann, 'hours');
    await words(ann).fill('We open at eight.');
    await select(bea, 'hello');
    await words(bea).fill('Good morning.');
    await bea.keyboard.press('Control+s');
    await bea.getByText(/Saved \d/).waitFor();
    await ann.getByText('Bea saved version 2: 1 step changed').waitFor();
    await picture(ann, 'saved-by-bea');
    await ann.getByRole('button', { name: 'Load and merge' }).click();
    await eventually(() => ann.getByText('Bea saved version').count()).toBe(0);
    await ann.keyboard.press('Control+s');
    await eventually(saved).toContain('We open at eight.');
    expect(saved()).toContain('Good morning.');
    await bea.getByText('ann saved version 3: 1 step changed').waitFor();
    await bea.getByRole('button', { name: 'Load and merge' }).click();
    await eventually(() => card(bea, 'hours').textContent()).toContain('We open at eight.');
    await bea.getByText(/Saved .* by ann/).waitFor();
  });

  test('names the other person where both changed one step', async () => {
    const [ann, bea] = [await person('ann'), await person('Bea')];
    for (const [page, text] of [
      [ann, 'From Ann.'],
      [bea, 'From Bea.'],
    ] as const) {
      await select(page, 'hours');
      await words(page).fill(text);
    }
    await bea.keyboard.press('Control+s');
    await ann.getByRole('button', { name: 'Load and merge' }).click();
    const dialog = ann.getByRole('dialog', { name: 'Bea saved this flow' });
    await dialog.getByRole('radio', { name: 'mine' }).waitFor();
    await picture(ann, 'conflict');
  });

  test('continues a draft in another browser, and merges it with a save in between', async () => {
    const ann = await person('ann');
    await select(ann, 'hours');
    await words(ann).fill('We open at nine.');
    await ann.getByText(/Draft · saved \d/).waitFor();
    await picture(ann, 'draft');
    const bea = await person('Bea');
    await select(bea, 'hello');
    await words(bea).fill('Good evening.');
    await bea.keyboard.press('Control+s');
    await bea.getByText(/Saved \d/).waitFor();
    const list = await person('ann', '/flows');
    await list.locator('.flow-list li', { hasText: 'bakery' }).getByText('your draft').waitFor();
    await picture(list, 'draft-list');
    const elsewhere = await person('ann');
    await picture(elsewhere, 'draft-offer');
    await elsewhere.getByRole('button', { name: /^Continue your draft of \d/ }).click();
    await eventually(() => card(elsewhere, 'hours').textContent()).toContain('We open at nine.');
    await elsewhere.getByRole('button', { name: 'Load and merge' }).click();
    await eventually(() => card(elsewhere, 'hello').textContent()).toContain('Good evening.');
    await elsewhere.keyboard.press('Control+s');
    await eventually(saved).toContain('We open at nine.');
    expect(saved()).toContain('Good evening.');
    const later = await person('ann', '/flows');
    await later.locator('.flow-list li', { hasText: 'bakery' }).waitFor();
    expect(await later.getByText('your draft').count()).toBe(0);
  });

  test('keeps the work without a connection, and after Discard offers nothing', async () => {
    const ann = await person('ann');
    await select(ann, 'hours');
    await ann.context().setOffline(true);
    await words(ann).fill('We open at ten.');
    await ann.getByText('Not connected · your work is kept here').waitFor();
    await ann.context().setOffline(false);
    await ann.getByText(/Draft · saved \d/).waitFor();
    const elsewhere = await person('ann');
    await elsewhere.getByRole('button', { name: 'Discard' }).click();
    await eventually(async () => (await person('ann')).getByRole('button', { name: 'Discard' }).count()).toBe(0);
    expect(saved()).toBe(FLOW);
  });

  test('shares comments on a step and its field, until they are done or a note', async () => {
    const [ann, bea] = [await person('ann'), await person('Bea')];
    const pane = (on: Page): Locator => on.getByRole('region', { name: 'Comments' });
    const entry = (on: Page, text: string): Locator => pane(on).getByRole('listitem').filter({ hasText: text });
    const write = async (on: Page, text: string): Promise<void> => {
      await pane(on).getByLabel('New comment').fill(text);
      await on.keyboard.press('Control+Enter');
      await entry(on, text).waitFor();
    };
    await select(ann, 'hours');
    await words(ann).click();
    await ann.keyboard.press('Control+F9');
    await pane(ann).getByLabel('About').selectOption({ label: 'hours · Caller hears' });
    await pane(ann).getByLabel('New comment').fill('Still right, @B');
    await pane(ann).getByRole('button', { name: '@Bea' }).click();
    await ann.keyboard.type('<b>now</b>?');
    await ann.keyboard.press('Control+Enter');
    // At the other browser at once, as a mention and at the card.
    await bea.getByText('ann mentioned you: Still right, @Bea <b>now</b>?').waitFor();
    await card(bea, 'hours').locator('.comment-count').waitFor();
    await eventually(() => card(bea, 'hours').getAttribute('aria-label')).toContain('1 comment');
    await bea.getByRole('button', { name: /^Comments/ }).click();
    await entry(bea, 'Still right').getByRole('button', { name: 'hours · Caller hears' }).click();
    await words(bea).and(bea.locator(':focus')).waitFor();
    expect(await entry(bea, 'Still right').getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await write(bea, 'Ask the baker first');
    await entry(ann, 'Ask the baker first').waitFor();
    await picture(ann, 'comments');
    expect(await accessibilityProblems(ann)).toEqual([]);
    await entry(ann, 'Still right').getByRole('button', { name: 'Done' }).click();
    await entry(bea, 'Still right').waitFor({ state: 'detached' });
    await pane(bea).getByLabel('Show done (1)').check();
    await entry(bea, 'Done by ann').getByRole('button', { name: 'Reopen' }).click();
    await entry(ann, 'Still right').getByRole('button', { name: 'Delete' }).click();
    await entry(bea, 'Still right').waitFor({ state: 'detached' });
    await entry(ann, 'Ask the baker first').getByRole('button', { name: 'Turn into note' }).click();
    await ann.keyboard.press('Control+s');
    await eventually(saved).toContain('  # Ask the baker first\n  hours:');
    await eventually(() => pane(ann).getByRole('listitem').count()).toBe(0);
  });

  test('moves comments with a renamed step, and shows those of a deleted one at the flow', async () => {
    const [ann, list] = [await person('ann'), await person('eve', '/flows')];
    await select(ann, 'hours');
    await ann.keyboard.press('Control+F9');
    await ann.getByLabel('New comment').fill('Follow me');
    await ann.keyboard.press('Control+Enter');
    const entry = ann.getByRole('region', { name: 'Comments' }).getByRole('listitem');
    await entry.getByRole('button', { name: 'hours' }).waitFor();
    await list.reload();
    await list.locator('.flow-list li', { hasText: 'bakery' }).getByText('1 comment').waitFor();
    await select(ann, 'hours');
    await ann.keyboard.press('r');
    await ann.getByRole('dialog').getByRole('textbox').fill('times');
    await ann.keyboard.press('Enter');
    await entry.getByRole('button', { name: 'times' }).waitFor();
    await ann.keyboard.press('Control+s');
    await eventually(saved).toContain('times: {');
    await ann.reload();
    await entry.getByRole('button', { name: 'times' }).click();
    await card(ann, 'times').locator('.comment-count').waitFor();
    await select(ann, 'times');
    await ann.keyboard.press('x');
    await card(ann, 'times').waitFor({ state: 'detached' });
    await entry.getByText('was at times, which is gone').waitFor();
    await entry.getByRole('button', { name: 'Delete' }).click();
    await entry.waitFor({ state: 'detached' });
  });
});
