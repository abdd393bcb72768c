/**
 * Every screen of the studio in a real browser, without findings of axe and without a page that scrolls sideways: on a
 * wide window, from right to left, on a phone, and at a zoom of 200 %; each in light and in dark colours.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../programs.ts';
import { rounds } from '../rounds.ts';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { invite, isHungUp, playCaller, receives, request } from './scenario.ts';
import { type Service, startService } from './service.ts';
import type { SippRun } from './sipp.ts';

const ADDRESS = '127.0.0.220';
const CALLER_ADDRESS = '127.0.0.221';
const FLOWS = join(import.meta.dirname, '../../flows');
const MEETING = `flow: meeting
defaults: { exits: { error: bye } }
start: meet
steps:
  meet: { conference: { name: weekly }, exits: { left: bye, ended: bye, full: bye } }
  bye: { hangup: normal }
`;
/** Pictures of all screens, for a look at them. */
const PICTURES = process.env['CALLWEAVE_PICTURES'];

interface Manner {
  width: number;
  height: number;
  language?: 'en' | 'ar';
}
const WIDE: Manner = { width: 1440, height: 900 };
const OTHERS: Readonly<Record<string, Manner>> = {
  'right-to-left': { ...WIDE, language: 'ar' },
  phone: { width: 390, height: 844 },
  // A window of 1440 × 900 at 200 %.
  zoom: { width: 720, height: 450 },
};

interface Row {
  name: string;
  path: string;
  /** Brings the screen into its state, in any language. */
  act?(page: Page): Promise<void>;
}
const row = (name: string, path: string, act?: Row['act']): Row => ({ name, path, ...(act ? { act } : {}) });

const FLOW = '/flows/order-status';
/** The dialog of the screen, opened by its keys. */
const opens =
  (keys: string) =>
  async (page: Page): Promise<void> => {
    await page.keyboard.press(keys);
    await page.locator('dialog[open]').waitFor();
  };
/** The flow as a graph, or as an outline on a small screen. */
const drawn = (page: Page) => page.locator('.card, .outline-step').first().waitFor();
const selects = async (page: Page): Promise<void> => {
  await drawn(page);
  const step = page.locator('.outline-step');
  if (await step.count()) await step.first().click();
  else await page.locator('[data-step="unknown"]').first().focus();
};

const SCREENS: readonly Row[] = [
  row('flows', '/flows'),
  row('keys', FLOW, async (page) => {
    await drawn(page);
    await opens('?')(page);
  }),
  row('search', '/flows', opens('Control+k')),
  row('flow', FLOW, drawn),
  row('flow-form', `${FLOW}?step=ask_order&show=form`, (page) => page.locator('.form').waitFor()),
  row('flow-text', `${FLOW}?show=text`, (page) => page.locator('.text-editor .cm-content').waitFor()),
  row('picker', `${FLOW}?step=unknown`, async (page) => {
    await selects(page);
    const plus = page.locator('.outline-plus');
    if (await plus.count()) await plus.first().click();
    else await page.keyboard.press('a');
    await page.locator('[role="dialog"] [role="option"], dialog[open] [role="option"]').first().waitFor();
  }),
  row('several', FLOW, async (page) => {
    await selects(page);
    await page.keyboard.press('Control+a');
  }),
  row('simulator', `${FLOW}/simulate`, (page) => page.locator('.conversation li').first().waitFor()),
  row('flow-tests', `${FLOW}/tests`),
  row('tests', '/tests'),
  row('live', '/flows/meeting/live', (page) => page.getByRole('option').first().waitFor()),
  row('versions', `${FLOW}/versions`),
  row('calls', '/calls', (page) => page.locator('[role="listbox"] [role="option"]').first().waitFor()),
  row('call', '/calls', async (page) => {
    await page.locator('[role="listbox"] [role="option"]').first().waitFor();
    for (const key of ['/', 'Enter', 'Enter']) await page.keyboard.press(key);
    await page.waitForURL(/\/calls\/[0-9a-f-]{36}/);
    await page.locator('.call-page .card, .call-page .outline-step').first().waitFor({ state: 'attached' });
  }),
  row('no-call', '/calls/unknown'),
  row('broadcasts', '/broadcasts'),
  row('new-broadcast', '/broadcasts/new'),
  row('conferences', '/conferences', (page) => page.locator('tbody tr').first().waitFor()),
  row('rooms', '/rooms'),
  row('numbers', '/settings/numbers?name=7000'),
  row('new-number', '/settings/numbers?new=1'),
  row('users', '/settings/users?name=ann'),
  row('new-user', '/settings/users?new=1'),
  row('routes', '/settings/routes?name=to-the-carrier'),
  row('new-route', '/settings/routes?new=1'),
  row('prompts', '/settings/prompts'),
  row('new-prompt', '/settings/prompts?new=1'),
  row('schedules', '/settings/schedules?name=office'),
  row('new-schedule', '/settings/schedules?new=1'),
  row('projects', '/settings/projects'),
  row('administrators', '/settings/administrators'),
  row('webhooks', '/settings/webhooks'),
  row('changes', '/settings/changes'),
  row('nodes', '/settings/nodes'),
  row('health', '/settings/health'),
];

const sipp = program('sipp');
const missing = [browser, sipp].find((each) => each.missing);

describe.skipIf(missing !== undefined)(`every screen of the studio${missing?.why ?? ''}`, () => {
  let service: Service;
  let studio: Studio;
  let caller: SippRun;

  beforeAll(async () => {
    const names = readdirSync(FLOWS).filter((file) => file.startsWith('order-status.'));
    const token = (name: string, role: string) => ({ name, token: `the-token-of-the-person-${name}`, role });
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'studio-accessibility-')),
      address: ADDRESS,
      sip: { allow_sip_uris: [CALLER_ADDRESS], users: [{ name: 'ann', password: 'a password of hers' }] },
      numbers: [
        { number: '7000', flow: 'order-status' },
        { number: '1000', flow: 'meeting' },
      ],
      flows: {
        'meeting.flow.yaml': MEETING,
        ...Object.fromEntries(names.map((file) => [file, readFileSync(join(FLOWS, file), 'utf8')])),
      },
      more: { admin: { tokens: [token('ann', 'full'), token('eve', 'read')] } },
    });
    await service.api('POST', '/video/v2/rooms', { name: 'Daily', owner_ref: 'acme', settings: {} });
    caller = await playCaller([invite(), receives(200), request('ACK'), isHungUp()], {
      ...{ target: service.sip, number: '1000', from: '5551000', address: CALLER_ADDRESS },
      more: ['-recv_timeout', '300000', '-timeout', '300s'],
      withinSeconds: 300,
    });
    studio = await openStudio(service, { ...WIDE, column: 'form' });
    studio.page.setDefaultTimeout(8_000);
  });
  afterAll(async () => {
    await studio?.close();
    caller?.stop();
    // Its caller has left without a BYE: an orderly stop would wait for it.
    await service?.kill();
  });

  const show = async ({ path, act }: Row, { language = 'en', ...size }: Manner): Promise<void> => {
    const { page } = studio;
    await page.setViewportSize(size);
    await page.evaluate(`localStorage.setItem('callweave-language', '${language}')`);
    await studio.open(path);
    expect(await page.evaluate('document.documentElement.dir')).toBe(language === 'ar' ? 'rtl' : 'ltr');
    await act?.(page);
    await expect.poll(busy).toBe(0);
  };
  /** Parts of the screen that wait for the service. */
  const busy = () => studio.page.locator('.page[aria-busy], .page [aria-busy=true]').count();
  /** Parts of the page that scroll sideways although only tables, texts and graphs may. */
  const SIDEWAYS = `[document.scrollingElement, ...document.querySelectorAll('main, .page')]
    .filter((part) => part.scrollWidth > part.clientWidth)
    .map((part) => part.localName + '.' + part.className + ' ' + part.scrollWidth + ' > ' + part.clientWidth)`;
  const picture = async (name: string): Promise<void> => {
    if (PICTURES === undefined) return;
    mkdirSync(PICTURES, { recursive: true });
    await studio.page.emulateMedia({ colorScheme: 'light' });
    await studio.page.screenshot({ path: join(PICTURES, `${name}.png`) });
  };

  const manners = Object.entries(OTHERS);
  const visits = SCREENS.flatMap((screen, place) => [
    { name: `${screen.name}, wide`, screen, manner: WIDE },
    ...Array.from({ length: Math.min(rounds(1), manners.length) }, (_, round) => {
      const [name, manner] = manners[(place + round) % manners.length]!;
      return { name: `${screen.name}, ${name}`, screen, manner };
    }),
  ]);

  test.each(visits)('shows $name without findings of axe or sideways scrolling', async ({ name, screen, manner }) => {
    await show(screen, manner);
    await picture(name.replace(', ', '-'));
    expect(await accessibilityProblems(studio.page)).toEqual([]);
    expect(await studio.page.evaluate(SIDEWAYS)).toEqual([]);
    // The browser itself writes a line for the call that does not exist.
    expect(studio.problems.splice(0).filter((line) => !line.includes('status of 404'))).toEqual([]);
  });
});
