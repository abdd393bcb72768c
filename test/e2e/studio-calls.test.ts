/** Real calls in a real browser: counted during the call, found, controlled, and replayed moment by moment. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CALLEE_SIP, startCallee } from '../../bench/talk.ts';
import { program } from '../programs.ts';
import { accessibilityProblems, browser, openStudio, type Studio, saveFlow } from './browser.ts';
import { type Service, startService } from './service.ts';
import { startSipp } from './sipp.ts';

const ADDRESS = '127.0.0.62';
const CALLER_ADDRESS = '127.0.0.63';
const CALLS = 20;
/** A caller that presses 1 after 2.3 seconds, and waits for the end of the call. */
const SCENARIOS = join(import.meta.dirname, '../../bench/scenarios');
/** Callers who press 1 wait for some seconds in one step. */
const FLOW = `flow: shop
defaults: { exits: { error: bye } }
vars:
  choice: { type: string }
start: ask
steps:
  ask:
    menu:
      prompt: For your orders, press 1.
      choices: { orders: { dtmf: "1" } }
      attempts: 1
      start_timeout: 6s
    exits: { orders: note, exhausted: bye }
  note: { set: { choice: orders }, next: wait }
  wait: { wait_for: { events: [ready], timeout: 5s }, exits: { ready: thanks, timeout: thanks } }
  thanks: { subflow: farewell, next: bye }
  bye: { hangup: normal }
`;
const FAREWELL = `flow: farewell
start: say
defaults: { exits: { error: $end } }
steps:
  say: { play: Thank you., next: $end }
`;
/** Callers who press 1 reach another step now, with another prompt. */
const LATER = FLOW.replace('exits: { orders: note,', 'exits: { orders: sorry,').replace(
  '  note:',
  '  sorry: { play: We are sorry., next: bye }\n  note:',
);
const LATER_FAREWELL = FAREWELL.replaceAll('say', 'wish');
const DESK = `flow: desk
start: ring
defaults: { exits: { error: bye } }
steps:
  ring: { bridge: "sip:anna@${CALLEE_SIP}", exits: { completed: bye, failed: bye } }
  bye: { hangup: normal }
`;

const sipp = program('sipp');
const missing = [browser, sipp, program('sox')].find((each) => each.missing);

describe.skipIf(missing !== undefined)(`calls in a browser${missing?.why ?? ''}`, () => {
  let service: Service;
  let studio: Studio;

  /** An ended call of all that. */
  let ended: string;

  const call = (calls: number, number = '1000', rate = 10) =>
    startSipp({
      scenario: join(SCENARIOS, 'ivr.xml'),
      target: service.sip,
      address: CALLER_ADDRESS,
      number,
      calls,
      rate,
    });
  const isNow = (name: string) => studio.page.locator(`[data-step="${name}"].now`).waitFor();
  /** Rows of the list of calls. The fields above it have options of their own. */
  const rows = () => studio.page.getByRole('listbox', { name: 'Calls', exact: true }).getByRole('option');
  /** One call, and its page once it is in a step. */
  const openLive = async (step: string, number?: string) => {
    const run = await call(1, number);
    await studio.open('/calls?q=is:live');
    await rows().first().waitFor();
    await studio.page.keyboard.press('/');
    await studio.page.keyboard.press('Enter');
    await studio.page.keyboard.press('Enter');
    await isNow(step);
    return run;
  };
  const moment = () => studio.page.getByRole('slider', { name: 'Moment of the call' });
  const momentText = () => moment().getAttribute('aria-valuetext');

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-calls-')),
      address: ADDRESS,
      sip: { allow_sip_uris: [CALLER_ADDRESS, CALLEE_SIP.split(':')[0]!] },
      numbers: [
        { number: '1000', flow: 'shop' },
        { number: '1001', flow: 'desk' },
      ],
      flows: { 'shop.flow.yaml': FLOW, 'farewell.flow.yaml': FAREWELL, 'desk.flow.yaml': DESK },
    });
    studio = await openStudio(service);
  });
  afterAll(async () => {
    await studio?.close();
    await service?.stop();
  });

  test('are counted in their steps during the call, and gone when they end', async () => {
    const { page } = studio;
    await studio.open('/flows/shop/live');
    await page.getByText('No live calls.').waitFor();
    const run = await call(CALLS, '1000', CALLS);
    // All have pressed and none has ended.
    await page.locator('[data-step="wait"] .live', { hasText: new RegExp(`^${CALLS}$`) }).waitFor();
    expect(await page.getByRole('option').count()).toBe(CALLS);
    expect(await accessibilityProblems(page)).toEqual([]);
    const { successful } = await run.ended;
    expect(successful).toBe(CALLS);
    await page.getByText('No live calls.').waitFor();
    expect(await page.locator('.badge-corner.live').count()).toBe(0);
  });

  test('exports the shown calls as a table, with their results in words', async () => {
    const { page } = studio;
    await studio.open('/calls?q=is:ended');
    await rows()
      .nth(CALLS - 1)
      .waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^calls-\d{4}-\d{2}-\d{2}\.csv$/);
    const [head, ...lines] = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(head).toBe('started,ended,seconds,direction,from,to,flow,result,quality,id');
    expect(lines).toHaveLength(CALLS);
    for (const line of lines) expect(line).toMatch(/,inbound,.*,shop,Hung up \(normal\),/);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    // The link to the list ends the filter.
    await expect.poll(() => page.getByLabel('Filter', { exact: true }).inputValue()).toBe('');
  });

  test('are found by what one types, by keyboard alone', async () => {
    const { page } = studio;
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await rows()
      .nth(CALLS - 1)
      .waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('for>1h is:ended');
    await page.getByText('No calls match the filter.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('flow:shop fro:1');
    await page.getByRole('alert').filter({ hasText: 'there is no fro' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('cause:normal for<30s');
    await expect.poll(() => rows().first().getAttribute('aria-setsize')).toBe(String(CALLS));
    expect(new URL(page.url()).searchParams.get('q')).toBe('cause:normal for<30s');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await moment().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/studio\/calls\/[0-9a-f-]{36}$/);
    ended = new URL(page.url()).pathname.split('/').at(-1)!;
  });

  test('are seen at each of their moments by keys: the way, the words and the variables of that moment', async () => {
    const { page } = studio;
    const card = (name: string) => page.locator(`[data-step="${name}"]`);
    await isNow('bye');
    await page.keyboard.press('Home');
    await expect.poll(momentText).toContain('0:00.0');
    await page.keyboard.press('Shift+ArrowRight');
    await isNow('ask');
    expect(await momentText()).toContain('into ask');
    expect(await card('wait').getAttribute('class')).toContain('dim');
    await page.getByText('No variables yet.').waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await isNow('wait');
    await page.locator('.call-facts', { hasText: 'choice' }).getByText('orders', { exact: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await isNow('note');
    await page.keyboard.press('End');
    await isNow('bye');
    expect(await page.locator('.key', { hasText: /^1$/ }).count()).toBe(1);
  });

  test('has an address for each moment', async () => {
    const { page } = studio;
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowRight');
    const text = await momentText();
    await expect.poll(() => new URL(page.url()).searchParams.get('e')).toMatch(/^\d+$/);
    const colleague = await studio.another();
    await colleague.goto(page.url());
    const slider = colleague.getByRole('slider', { name: 'Moment of the call' });
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe(text);
    await colleague.close();
  });

  test('shows the journal, the flow or the timeline alone at 200 % zoom', async () => {
    const { page } = studio;
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 720, height: 450 });
    const pane = (name: string) => page.getByRole('region', { name, exact: true });
    for (const name of ['Flow', 'Timeline', 'Journal']) {
      await page.getByRole('tab', { name }).click();
      await pane(name).waitFor();
      expect((await pane(name).boundingBox())!.height).toBeGreaterThan(300);
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    await pane('Journal').getByText('For your orders, press 1.').first().waitFor();
    await page.setViewportSize(size);
    // Space would press the tab.
    await page.locator('main').focus();
  });

  test('are heard from the moment on, and the light moves with the sound', async () => {
    const { page } = studio;
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await expect.poll(async () => Number(await moment().getAttribute('aria-valuenow'))).toBeGreaterThan(500);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Listen' }).waitFor();
  });

  test('are the same on the flow of today', async () => {
    const { page } = studio;
    await page.keyboard.press('p');
    await page.getByText('The current flow takes the same route.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close the result of the replay' }).click();
  });

  test('are taken over as tests that pass, by keys', async () => {
    const { page } = studio;
    await page.keyboard.press('t');
    await page.getByText('It passes with the current flow.').waitFor();
    await page.getByLabel('Test name').fill('orders by key 1');
    await page.getByText('It passes with the current flow.').waitFor();
    const written = () => page.getByLabel('The test').inputValue();
    await expect.poll(written, { timeout: 20_000 }).toContain('test: orders by key 1');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel('Test name').press('Enter');
    await page.getByText('Test saved as shop.call-').waitFor();
    await studio.open('/flows/shop/tests');
    await page.getByRole('region', { name: 'Tests' }).getByText('1 test passes').waitFor();
    await page.getByRole('button', { name: 'passed: orders by key 1' }).waitFor();
  });

  test('shows inner flows inside their steps, and links to the flow of each step, by keys and by pointer', async () => {
    const { page } = studio;
    await studio.open(`/calls/${ended}`);
    await isNow('bye');
    const inner = page.locator('[data-inner="thanks#0/say"]');
    await page.locator('[data-step="thanks"]').click();
    await page.keyboard.press('i');
    await inner.waitFor();
    await page.keyboard.press('j');
    await page.locator('[data-inner="thanks#0/say"].selected:focus', { hasText: 'Edit in farewell' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('[data-step="thanks"]:focus').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/studio\/flows\/farewell\?step=say$/);
    await page.locator('[data-step="say"].selected').waitFor();
    await page.goBack();
    await isNow('bye');
    await page.locator('[data-inside="thanks"]').click();
    await inner.click();
    await page.locator('[data-inner="thanks#0/say"].selected').waitFor();
    await page.getByText('Edit in farewell').click();
    await page.waitForURL(/\/studio\/flows\/farewell\?step=say$/);
  });

  test('are shown live, receive events that their flow waits for, and can be hung up', async () => {
    const { page } = studio;
    const run = await openLive('wait');
    await page.keyboard.press('e');
    expect(await page.getByRole('combobox').inputValue()).toBe('ready');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('combobox').press('Enter');
    await page
      .getByRole('option')
      .filter({ hasText: 'wait: ready' })
      .or(page.locator('[data-step="say"].now'))
      .first()
      .waitFor();
    await run.ended;
    const other = await openLive('wait');
    await page.keyboard.press('h');
    await page.getByRole('dialog').getByRole('button', { name: 'Hang up', exact: true }).press('Enter');
    await page.getByRole('option').filter({ hasText: 'call ended' }).waitFor();
    await other.ended;
  });

  test('are transferred to another party while they are bridged', async () => {
    const { page } = studio;
    const callee = startCallee();
    try {
      const run = await openLive('ring', '1001');
      await page.getByRole('button', { name: 'Transfer' }).waitFor();
      await page.keyboard.press('c');
      await page.getByRole('textbox', { name: /^To/ }).fill(`sip:ben@${CALLEE_SIP}`);
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      // The caller waits no longer for a BYE, and hangs up.
      await page.getByRole('option').filter({ hasText: 'call ended' }).waitFor();
      const timeline = page.getByRole('region', { name: 'Timeline' });
      await timeline
        .getByText(/ben@.* answered/)
        .first()
        .waitFor();
      run.stop();
    } finally {
      callee.stop();
    }
  });

  test("are drawn with both paths, then and today, if today's flow takes another one", async () => {
    const { page } = studio;
    expect(await saveFlow(page, 'shop', LATER)).toBe(200);
    expect(await saveFlow(page, 'farewell', LATER_FAREWELL)).toBe(200);
    await studio.open(`/calls/${ended}`);
    await isNow('bye');
    await page.keyboard.press('p');
    await page.getByText('The current flow takes another route').waitFor();
    await page.locator('[data-step="wait"] .badge-corner.removed', { hasText: 'then' }).waitFor();
    await page.locator('[data-step="sorry"] .badge-corner.added', { hasText: 'today' }).waitFor();
    expect(await page.locator('path.wire.added').getAttribute('d')).toMatch(/^M/);
    expect(await page.locator('path.wire.removed').first().getAttribute('d')).toMatch(/^M/);
    await page.getByText('Both paths:').press('Enter');
    const steps = page.getByRole('list', { name: 'Path: then and today' });
    await steps.getByRole('button', { name: 'sorry today' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Close the result of the replay' }).press('Enter');
  });

  test('are drawn on the versions that they ran, those of inner flows too, and on those of today by a key', async () => {
    const { page } = studio;
    await page.locator('[data-step="bye"].now').waitFor();
    expect(await page.locator('[data-step="sorry"]').count()).toBe(0);
    await page.keyboard.press('v');
    await page.locator('[data-step="sorry"]').waitFor();
    await page.keyboard.press('v');
    await page.getByRole('button', { name: /shop, version during this call [0-9a-f]{8}/ }).waitFor();
    const end = page.url();
    for (const _ of ['bye', 'say']) await page.keyboard.press('Shift+ArrowLeft');
    await isNow('say');
    await page.getByRole('button', { name: /farewell, version during this call [0-9a-f]{8}/ }).waitFor();
    await page.keyboard.press('v');
    await page.locator('[data-step="wish"]').waitFor();
    await page.keyboard.press('v');
    await page.locator('[data-step="say"]').waitFor();
    await page.waitForURL(({ href }) => href !== end);
  });

  test('reports a text of the flow that is no longer kept', async () => {
    const { page, problems } = studio;
    await page.route('**/flow/farewell/graph?version=*', (route) =>
      route.fulfill({ status: 404, json: { code: 6110 } }),
    );
    await page.reload();
    await page.getByText('The text of farewell of then is not kept any more: today’s is drawn.').waitFor();
    await page.locator('[data-step="wish"]').waitFor();
    await page.unroute('**/flow/farewell/graph?version=*');
    // The browser logs each 404 response.
    expect(problems.splice(0).every((problem) => problem.includes('404'))).toBe(true);
  });

  test('violates no content policy, and loads nothing from other origins', () => {
    expect(studio.problems).toEqual([]);
  });
});
