/**
 * Room page in Chromium: real media through the embedded engine, the service as an operator runs it. Each test has its
 * own room. Skipped, with the reason, without Chromium.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createRoomTokens } from '../../src/media/rooms/room-tokens.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { accessibilityProblems, browser } from './browser.ts';
import { isIn, openRoom, press, reads, says, startVisitors } from './room-visitors.ts';
import { engineOf } from './rooms-page.ts';
import { APP_ID, type Service, startService, WEBHOOK_SECRET } from './service.ts';
import { startTurnServer, turnserver, turnUrl } from './turn-server.ts';

const ADDRESS = '127.0.0.179';
const TURN_ADDRESS = '127.0.0.178';
const TURN_SECRET = 'a secret of the service and of coturn';
const [ADA, BEN, CLEO] = [440, 1000, 1700];

describe.skipIf(browser.missing)(`the room page${browser.why}`, () => {
  let service: Service;
  let visitors: Awaited<ReturnType<typeof startVisitors>>;

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-room-page-'));
    const video = { ice_servers: [{ urls: [turnUrl(TURN_ADDRESS)], shared_secret: TURN_SECRET }] };
    service = await startService({ directory, address: ADDRESS, numbers: [], flows: {}, more: { video } });
    visitors = await startVisitors(service);
  });
  afterEach(async () => {
    await visitors.clear();
    expect(visitors.problems.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await visitors?.close();
    expect(await service?.stop(), service?.log()).toBe(0);
  });

  const room = (settings?: object, name?: string) => openRoom(service, visitors, settings, name);
  const isRecorded = (page: Page): Promise<void> => page.getByText('Recording', { exact: true }).waitFor();
  const openPeople = (page: Page): Promise<void> => page.keyboard.press('p');
  const openActions = (page: Page, name: string): Promise<void> =>
    page.locator(`summary[aria-label="Actions for ${name}"]`).click();
  /** Sends a message as a manipulated page might. */
  const sendRaw = (page: Page, message: object): Promise<void> =>
    page.evaluate(`sockets.at(-1).send(${JSON.stringify(JSON.stringify(message))})`);

  it('lets a moderator, a participant and a viewer see and hear what their roles allow, and refuses a fourth', async () => {
    const { enter, link } = await room({ participants: 3 });
    const linkOfDan = await link('participant', 'Dan');
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    const vera = await enter('viewer', 'Vera', { tone: CLEO });
    await Promise.all([ada.untilHeard([BEN]), ben.untilHeard([ADA]), vera.untilHeard([ADA, BEN])]);
    await Promise.all([ada.untilSeen(1), ben.untilSeen(1), vera.untilSeen(2)]);
    expect(await vera.page.evaluate('asked.length')).toBe(0);
    expect(await vera.page.getByRole('button', { name: /Mute|Raise/ }).count()).toBe(0);
    await reads(vera.page, 'Ada and Ben are speaking');
    const dan = await visitors.visit(linkOfDan);
    await press(dan.page, 'Join');
    await says(dan.page, 'The room is full');
    await press(ben.page, 'Mute');
    await Promise.all([ada.untilHeard([]), vera.untilHeard([ADA])]);
    await press(ben.page, 'Switch off the camera');
    await vera.untilSeen(1);
    await press(ben.page, 'Unmute');
    await press(ben.page, 'Switch on the camera');
    await Promise.all([vera.untilHeard([ADA, BEN]), vera.untilSeen(2)]);
    await press(ben.page, 'Leave');
    await says(ben.page, 'You left the room');
    await vera.untilHeard([ADA]);
  });

  it('lets a moderator admit and deny knocking participants, and remove one', async () => {
    const { join, enter, linkOf, token } = await room({ knock: true, wait_for_moderator: true });
    const ben = await join('participant', 'Ben', { tone: BEN });
    await says(ben.page, 'Waiting for the host');
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    await says(ben.page, 'Asking to come in');
    await press(ada.page, 'Admit Ben');
    await isIn(ben.page);
    await ada.untilHeard([BEN]);
    const cleo = await join('participant', 'Cleo');
    await press(ada.page, 'Deny Cleo');
    await says(cleo.page, 'You were not let in');
    await openPeople(ada.page);
    await openActions(ada.page, 'Ben');
    await press(ada.page, 'Remove: Ben');
    await says(ben.page, 'You were removed');
    await ada.untilHeard([]);
    const given = await token('participant', 'Dan');
    const dan = await visitors.visit(linkOf(given));
    await press(dan.page, 'Join');
    await says(dan.page, 'Asking to come in');
    await dan.page.reload();
    await says(dan.page, 'This invitation was used or withdrawn');
  });

  it('keeps participants silent whom a moderator mutes and locks, whatever their page does', async () => {
    const { enter } = await room();
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await ada.untilHeard([BEN]);
    await openPeople(ada.page);
    await openActions(ada.page, 'Ben');
    await press(ada.page, 'Mute: Ben');
    await reads(ben.page, 'A moderator muted your microphone.');
    await ada.untilHeard([]);
    await ben.page.keyboard.press('m');
    await ada.untilHeard([BEN]);
    await press(ada.page, 'Mute and lock: Ben');
    await reads(ben.page, 'A moderator switched off your microphone.');
    await ada.untilHeard([]);
    await ben.page.keyboard.press('m');
    expect(await ben.page.getByRole('button', { name: 'Unmute' }).getAttribute('aria-disabled')).toBe('true');
    await sendRaw(ben.page, { type: 'mute', source: 'audio', muted: false });
    await reads(ben.page, 'That is not allowed here.');
    expect(await ada.heard()).toEqual([]);
    await press(ada.page, 'Let unmute: Ben');
    await reads(ben.page, 'A moderator asks you to switch on your microphone.');
    expect(await ada.heard()).toEqual([]);
    await press(ben.page, 'Unmute');
    await ada.untilHeard([BEN]);
    await press(ada.page, 'Record');
    await Promise.all([reads(ben.page, 'This session is now being recorded.'), isRecorded(ben.page)]);
    await press(ada.page, 'End for all');
    await ada.page.getByRole('dialog').getByRole('button', { name: 'End for all' }).click();
    await Promise.all([says(ada.page, 'The session has ended'), says(ben.page, 'The session has ended')]);
  });

  it('lets one be heard where one may talk at a time; the next takes the place of who falls silent', async () => {
    const { enter } = await room({ max_active_talkers: 1 });
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await ben.untilHeard([ADA]);
    const cleo = await enter('participant', 'Cleo', { tone: CLEO });
    await cleo.untilHeard([ADA]);
    expect([await ada.heard(), await ben.heard()]).toEqual([[], [expect.closeTo(ADA, -2)]]);
    await press(ada.page, 'Mute');
    await cleo.untilHeard([BEN]);
    await ada.untilHeard([BEN]);
    expect(await ben.heard()).toEqual([]);
  });

  it('gives the floor of a lecture to a hand that is up, and takes it back', async () => {
    const { enter } = await room({ mode: 'lecture' });
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await ben.untilHeard([ADA]);
    expect(await ben.page.evaluate('asked.length')).toBe(0);
    expect(await ben.page.getByRole('button', { name: 'Unmute' }).getAttribute('aria-disabled')).toBe('true');
    await ben.page.keyboard.press('h');
    await reads(ada.page, 'Ben raised a hand');
    await openPeople(ada.page);
    await openActions(ada.page, 'Ben');
    await press(ada.page, 'Give the floor: Ben');
    await reads(ben.page, 'You have the floor. Switch on your microphone to speak.');
    await ben.page.keyboard.press('m');
    await ada.untilHeard([BEN]);
    await press(ada.page, 'Take the floor back: Ben');
    await ada.untilHeard([]);
    await ben.page.keyboard.press('m');
    await reads(ben.page, 'You need the floor: raise your hand');
  });

  it('shows a screen to all, large and not mirrored, until it is taken back', async () => {
    const { enter } = await room();
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await ben.untilSeen(1);
    await ada.page.keyboard.press('s');
    await ben.page.getByRole('list', { name: 'Large' }).getByLabel('Screen of Ada', { exact: true }).waitFor();
    await ben.untilSeen(2);
    const transformOf = (label: string) =>
      ada.page.evaluate(`getComputedStyle(document.querySelector('video[aria-label="${label}"]')).transform`);
    expect(await transformOf('Screen of Ada (you)')).toBe('none');
    expect(await transformOf('Ada (you)')).toContain('matrix(-1');
    await ada.page.keyboard.press('s');
    await ben.page.getByRole('list', { name: 'People' }).waitFor();
    await ben.untilSeen(1);
  });

  it('shows names and messages as they are written, and refuses a message of 1 MB', async () => {
    const markup = '<img src=x onerror="window.ran = 1"><script>window.ran = 2</script>';
    const { enter } = await room({}, `Room ${markup}`);
    const ada = await enter('moderator', `Ada ${markup}`, { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await press(ada.page, 'Chat');
    const field = ada.page.getByRole('textbox', { name: 'Message' });
    await field.fill(`Look: ${markup} javascript:alert(1)`);
    await ada.page.keyboard.press('Enter');
    await ben.page.getByRole('button', { name: 'Chat, 1 unread' }).click();
    await reads(ben.page, `Look: ${markup} javascript:alert(1)`);
    for (const { page } of [ada, ben]) {
      expect(await page.evaluate('[window.ran, document.images.length, document.links.length]')).toEqual([
        undefined,
        0,
        0,
      ]);
    }
    await field.fill('x'.repeat(1_000_000));
    await reads(ada.page, '1,000,000 characters: at most 4,000.');
    await field.press('Enter');
    await field.fill('short again');
    await field.press('Enter');
    await reads(ben.page, 'short again');
    expect(await ben.page.getByRole('list', { name: 'Messages' }).getByRole('listitem').count()).toBe(2);
    // Shortcut keys are letters while the user types.
    await field.pressSequentially('mvshcpg?');
    expect(await field.inputValue()).toBe('mvshcpg?');
    await ada.page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
  });

  it('says what is wrong with an invitation, and takes a better one', async () => {
    const { roomId, token, linkOf, link } = await room();
    const other = await room();
    const good = await token('participant', 'Ben');
    const clock = new VirtualClock();
    const tokens = createRoomTokens({
      ...{ clock, secretsOf: () => [WEBHOOK_SECRET], ids: { next: () => 'old' } },
      used: { use: (_, done) => done(true), isUsed: (_, done) => done(false) },
    });
    const old = tokens.issue(APP_ID, { roomId, name: 'Old', role: 'participant', userRef: 'old' });
    const visitor = await visitors.visit(linkOf(''));
    const { page } = visitor;
    for (const [wrong, title] of [
      ['', 'You need an invitation'],
      [`${good.slice(0, -6)}AAAAAA`, 'This invitation is not valid'],
      ['nonsense', 'This invitation is not valid'],
      [await other.token('participant', 'Ben'), 'This invitation is for another room'],
      [old, 'This invitation has expired'],
    ]) {
      await page.goto('about:blank');
      await page.goto(linkOf(wrong!));
      await says(page, title!);
    }
    const field = page.getByRole('textbox', { name: 'Your link' });
    await field.fill('https://elsewhere.example/');
    await page.keyboard.press('Enter');
    await reads(page, 'That is not a link to a room.');
    await field.fill(`  ${await link('participant', 'Ben')}\n`);
    await page.keyboard.press('Enter');
    await reads(page, 'You join as Ben, participant.');
  });

  it('reconnects automatically after the WebSocket is cut, and by one button after a reload; closing the page leaves soon', async () => {
    const { enter } = await room();
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await ada.untilHeard([BEN]);
    await ben.page.evaluate('sockets.at(-1).close()');
    await reads(ben.page, 'You are connected again.');
    await Promise.all([ada.untilHeard([BEN]), ben.untilHeard([ADA]), ada.untilSeen(1)]);
    await ben.page.reload();
    await press(ben.page, 'Come back');
    await isIn(ben.page);
    await Promise.all([ada.untilHeard([BEN]), ben.untilHeard([ADA]), ben.untilSeen(1)]);
    await openPeople(ada.page);
    await says(ada.page, 'People (2)');
    await ben.page.close();
    await expect.poll(() => ada.page.getByText('People (1)').count(), { timeout: 8000 }).toBe(1);
  });

  it.skipIf(turnserver.missing)(
    `reaches those behind a firewall through a TURN server, with the credentials that they receive${turnserver.why}`,
    async () => {
      const turn = await startTurnServer(TURN_ADDRESS, TURN_SECRET);
      onTestFinished(() => turn.stop());
      const { enter } = await room();
      const ada = await enter('moderator', 'Ada', { tone: ADA, isBehindFirewall: true });
      const ben = await enter('participant', 'Ben', { tone: BEN });
      await Promise.all([ada.untilHeard([BEN]), ben.untilHeard([ADA]), ada.untilSeen(1), ben.untilSeen(1)]);
    },
  );

  it('reconnects all participants within 5 s, without a reload, when the engine is killed', async () => {
    const { enter } = await room();
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await Promise.all([ada.untilHeard([BEN]), ben.untilHeard([ADA])]);
    const before = await ada.page.evaluate('connections.length');
    process.kill(engineOf(service.pid)!, 'SIGKILL');
    await expect.poll(() => ada.page.evaluate('connections.length'), { timeout: 5000 }).toBeGreaterThan(Number(before));
    await Promise.all([ada.untilHeard([BEN], 5000), ben.untilHeard([ADA], 5000)]);
    await Promise.all([ada.untilSeen(1, 5000), ben.untilSeen(1, 5000)]);
  });

  it('is used by the keyboard alone, from the preview to the end', async () => {
    const { link, enter } = await room();
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const { page } = await visitors.visit(await link('participant', 'Ben'), { tone: BEN });
    const reach = async (name: string): Promise<void> => {
      for (let steps = 0; steps < 40; steps++) {
        const label = await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.innerText ?? ""');
        if (label === name) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab does not reach ${name}`);
    };
    await page.getByRole('button', { name: 'Join' }).waitFor();
    await reach('Switch off the camera');
    await page.keyboard.press('Enter');
    await reach('Join');
    await page.keyboard.press('Enter');
    await ada.untilHeard([BEN]);
    expect(await page.evaluate('connections.length > 0 && asked.filter(({ video }) => video).length')).toBe(1);
    await reach('Mute');
    await page.keyboard.press('Space');
    await ada.untilHeard([]);
    await page.keyboard.press('Shift+?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('m');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('by keys');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('complementary').count()).toBe(0);
    await ada.page.getByRole('button', { name: 'Chat, 1 unread' }).waitFor();
    await reach('Leave');
    await page.keyboard.press('Enter');
    await says(page, 'You left the room');
  });

  it('has nothing that axe finds fault with, light and dark, 390 and 1280 wide', async () => {
    const { enter, link, join } = await room({ knock: true });
    const ada = await enter('moderator', 'Ada Lovelace', { tone: ADA });
    const { page } = ada;
    const found: string[] = [];
    const check = async (where: string, of = page): Promise<void> => {
      for (const width of [390, 1280]) {
        await of.setViewportSize({ width, height: 800 });
        const problems = await accessibilityProblems(of, { isStrict: true });
        found.push(...problems.map((problem) => `${where}, ${width}: ${problem}`));
        const widest = await of.evaluate('document.documentElement.scrollWidth');
        if (Number(widest) > width) found.push(`${where}: ${widest} wide, and not ${width}`);
      }
    };
    const ben = await visitors.visit(await link('participant', 'Ben'), { tone: BEN });
    await ben.page.getByRole('button', { name: 'Join' }).waitFor();
    await check('preview', ben.page);
    await press(ben.page, 'Join');
    await says(ben.page, 'Asking to come in');
    await press(page, 'Admit Ben');
    await ada.untilHeard([BEN]);
    await ben.page.keyboard.press('h');
    await ben.page.keyboard.press('c');
    await ben.page.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await ben.page.keyboard.press('Enter');
    await reads(ben.page, 'Hello');
    await check('grid and chat', ben.page);
    const cleo = await join('participant', 'Cleo');
    await says(cleo.page, 'Asking to come in');
    await reads(page, 'Hand raised');
    await page.keyboard.press('p');
    await openActions(page, 'Ben');
    await press(page, 'Record');
    await isRecorded(page);
    await check('people');
    await page.keyboard.press('Escape');
    await page.keyboard.press('s');
    await page.getByRole('list', { name: 'Large' }).waitFor();
    await page.keyboard.press('?');
    await check('knocking, screen and keys');
    await page.keyboard.press('Escape');
    await page.keyboard.press('n');
    await reads(page, /^Round trip/);
    await check('figures of the connection');
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.getByRole('button', { name: 'Applause' }).click();
    await page.keyboard.press('e');
    await check('reactions');
    await press(cleo.page, 'Do not wait');
    await check('no invitation left', cleo.page);
    await press(page, 'Leave');
    await says(page, 'You left the room');
    await check('left');
    await ben.page.goto(`${service.url}/room/nowhere`);
    await says(ben.page, 'You need an invitation');
    await check('no invitation', ben.page);
    expect(found).toEqual([]);
  }, 60_000);
});
