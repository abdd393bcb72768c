/**
 * A new version of a flow, tried on some callers first: stored as a candidate, given to half of the callers of sipp,
 * compared, taken back by one key, published, and ended automatically. In a real browser, by keyboard only.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../programs.ts';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { invite, isHungUp, playCaller, receives, request } from './scenario.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.104';
const CALLER_ADDRESS = '127.0.0.105';
/** All go the long way. */
const FLOW = `flow: greet
defaults: { exits: { error: bye } }
start: pick_up
steps:
  pick_up: { answer: {}, next: sort }
  sort:
    branch:
      - { when: 1 = 2, next: short }
      - { else: long }
  short: { log: short, next: bye }
  long: { log: long, next: bye }
  bye: { hangup: normal }
`;
/** All go the short way, and one step more. */
const CANDIDATE = FLOW.replace('1 = 2', '1 = 1').replace(
  'short: { log: short, next: bye }',
  'short: { log: short, next: more }\n  more: { log: more, next: bye }',
);
/** Each call ends with a fault. */
const BROKEN = CANDIDATE.replace('start:', 'limits: { max_steps: 2 }\nstart:');
const CALLS = 40;

const TOKEN = 'token-of-the-administrator-of-the-tests';

const sipp = program('sipp');
const missing = [browser, sipp].find((each) => each.missing);

/** In the page: number of unsaved texts that it keeps. */
const KEPT_TEXTS = `new Promise((resolve) => {
  const opened = indexedDB.open('callweave-studio');
  opened.onsuccess = () => {
    const count = opened.result.transaction('unsaved').objectStore('unsaved').count();
    count.onsuccess = () => resolve(count.result);
  };
})`;

describe.skipIf(missing !== undefined)(`a canary in a browser${missing?.why ?? ''}`, { timeout: 60_000 }, () => {
  let service: Service;
  let studio: Studio;

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-canary-')),
      address: ADDRESS,
      sip: { allow_sip_uris: [CALLER_ADDRESS] },
      numbers: [
        { number: '1000', flow: 'greet' },
        { number: '1001', flow: 'greet' },
      ],
      flows: { 'greet.flow.yaml': FLOW },
      more: { admin: { token: TOKEN } },
    });
    studio = await openStudio(service);
  }, 60_000);
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  /** Calls of callers without a number: which version each gets is by chance. */
  const callIn = async (calls: number): Promise<void> => {
    const steps = [invite(), receives(200), request('ACK'), isHungUp()];
    const options = { target: service.sip, address: CALLER_ADDRESS, number: '1000', from: 'anonymous', calls };
    const run = await playCaller(steps, options);
    expect(await run.ended).toMatchObject({ successful: calls, failed: 0 });
  };
  /** How many calls each version took, the one in force first. */
  const callsByVersion = async (): Promise<number[]> => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const { body } = await service.api('GET', '/admin/v1/flows/greet/versions', undefined, headers);
    return (body['versions'] as { calls: number }[]).map(({ calls }) => calls);
  };
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await studio.page.keyboard.press(key);
  };
  const tabTo = async (wanted: Locator): Promise<void> => {
    await wanted.waitFor();
    for (let presses = 0; presses < 60; presses++) {
      if ((await wanted.and(studio.page.locator(':focus')).count()) > 0) return;
      await press('Tab');
    }
    throw new Error(`Tab does not lead to ${wanted}`);
  };
  /** In the editor: the text becomes another one, and is kept. */
  const keep = async (text: string): Promise<void> => {
    const { page } = studio;
    await studio.open('/flows/greet?show=text');
    await tabTo(page.locator('.text-editor .cm-content'));
    await press('Control+a');
    await page.evaluate(pasting(text));
    await press('Control+Shift+S');
    await page.getByText('Saved as a candidate. Callers still get the live version').waitFor();
  };
  const counts = (row: string): Promise<number[]> =>
    studio.page
      .locator('.canary-sides tr', { hasText: row })
      .locator('td b')
      .allTextContents()
      .then((texts) => texts.map(Number.parseFloat));

  test('begins with a text that is kept as a candidate, which no call takes', async () => {
    const { page } = studio;
    await keep(CANDIDATE);
    expect(await page.locator('.crumb').textContent()).toContain('saved as candidate');
    await expect.poll(() => page.evaluate(KEPT_TEXTS)).toBe(0);
    expect(readFileSync(join(service.directory, 'flows/greet.flow.yaml'), 'utf8')).toBe(FLOW);
    await press('Control+k');
    await page.getByRole('combobox', { name: /Find/ }).and(page.locator(':focus')).waitFor();
    await page.keyboard.insertText('versions of this flow');
    await page.getByRole('option', { name: /Show the versions/ }).waitFor();
    await press('Enter');
    await page.getByText('1 step added, 2 changed').waitFor();
    await page.getByText('candidate', { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('is given to half of the callers, and the two versions are compared while calls come', async () => {
    const { page } = studio;
    await press('c');
    const percent = page.getByLabel('Share of callers, in percent');
    await tabTo(percent);
    await press('Control+a', '5', '0');
    await page.getByRole('button', { name: 'Start with 50 %' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await press('Enter');
    await page.getByRole('heading', { name: /^50 % of callers take/ }).waitFor();

    await callIn(CALLS);
    await expect
      .poll(async () => (await counts('Calls that ended')).reduce((one, other) => one + other, 0), POLL)
      .toBe(CALLS);
    const [inForce, canary] = await counts('Calls that ended');
    expect(await callsByVersion()).toEqual([inForce, canary]);
    expect(Math.min(inForce!, canary!)).toBeGreaterThan(0);
    expect(await counts('Ended by an error')).toEqual([0, 0]);
    const first = page.locator('.canary-exits tbody tr').first();
    expect(await first.textContent()).toMatch(/^sort .*[+−]100\.0/);
    expect(await accessibilityProblems(page)).toEqual([]);

    await press('d');
    const taken = page.locator('[data-step="more"] .compared b');
    await expect.poll(() => taken.allTextContents(), POLL).toEqual(['0', String(canary)]);
    expect(await page.locator('[data-step="sort"] .row .compared').allTextContents()).toHaveLength(2);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('stands in the list of flows', async () => {
    await studio.open('/flows');
    await studio.page.getByText('canary 50 %').waitFor();
    expect(await accessibilityProblems(studio.page)).toEqual([]);
  });

  test('says in words on a small screen what changed, and how many calls took it', async () => {
    const { page } = studio;
    await page.setViewportSize({ width: 390, height: 844 });
    await studio.open('/flows/greet/versions');
    const row = (step: string) => page.getByRole('treeitem', { name: new RegExp(`^${step}`) }).first();
    expect(await row('more').textContent()).toMatch(/added.*0 in force, \d+ canary/);
    expect(await row('sort').textContent()).toContain('changed');
    expect(await accessibilityProblems(page)).toEqual([]);
    await studio.open('/flows/greet/versions?view=canary');
    await page.getByRole('heading', { name: /^50 % of callers take/ }).waitFor();
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBe(390);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('ends by one key, which the page of keys names', async () => {
    const { page } = studio;
    await studio.open('/flows/greet/versions?view=canary');
    await page.getByRole('heading', { name: /^50 % of callers take/ }).waitFor();
    await press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    expect(await help.getByText('Back: end the canary').locator('xpath=..').locator('kbd').textContent()).toBe('b');
    await press('Escape');
    await help.waitFor({ state: 'detached' });
    await press('b');
    await page.getByText('Back: all new calls take the live version').waitFor();
    await page.getByText(/^Ended by .*: all new calls take the live version/).waitFor();
    const [inForce, candidate] = await callsByVersion();
    await callIn(5);
    expect(await callsByVersion()).toEqual([inForce! + 5, candidate]);
  });

  test('is published when its conditions are met', async () => {
    const { page } = studio;
    await press('Shift+P');
    const conditions = page.getByRole('list', { name: 'Conditions' });
    await conditions.getByText(/of 45 calls go another way/).waitFor();
    await conditions.getByText('there are none').waitFor();
    const publish = page.getByRole('button', { name: 'Publish', exact: true }).and(page.locator('[type=submit]'));
    expect(await publish.isDisabled()).toBe(true);
    await tabTo(page.getByLabel('I have checked the calls that take another route'));
    await press('Space');
    expect(await publish.isEnabled()).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
    await tabTo(publish);
    await press('Enter');
    await page.getByText('is published: new calls take it').waitFor();
    expect(readFileSync(join(service.directory, 'flows/greet.flow.yaml'), 'utf8')).toBe(CANDIDATE);
    const [inForce, before] = await callsByVersion();
    await callIn(3);
    expect(await callsByVersion()).toEqual([inForce! + 3, before]);
    await studio.open('/flows');
    await page.getByRole('link', { name: /greet/ }).first().waitFor();
    expect(await page.getByText(/^canary/).count()).toBe(0);
  });

  test('ends automatically when its calls fail, and shows the reason', async () => {
    const { page } = studio;
    await keep(BROKEN);
    await studio.open('/flows/greet/versions?view=canary');
    await tabTo(page.getByLabel('Share of callers, in percent'));
    await press('Control+a', '5', '0');
    await tabTo(page.getByLabel(/^After/));
    await press('Control+a', '3', 'Enter');
    await page.getByRole('heading', { name: /^50 % of callers take/ }).waitFor();
    await callIn(CALLS);
    await page
      .getByRole('alert')
      .getByText(/^Rolled back automatically.* errors ended 100\.0 %/)
      .waitFor();
    await page.getByRole('heading', { name: /rolled back: too many errors/ }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(studio.problems).toEqual([]);
  });
});

/** In the page: the clipboard has this text, and Ctrl V is pressed. */
const pasting = (text: string): string => `{
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', ${JSON.stringify(text)});
  document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}`;

const POLL = { timeout: 15_000 };
