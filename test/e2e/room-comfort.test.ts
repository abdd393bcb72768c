/**
 * Room page in Chromium: features around the media, such as the way back into a room. Skipped, with the reason, without
 * Chromium.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browser } from './browser.ts';
import { isIn, openRoom, press, reads, says, startVisitors } from './room-visitors.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.177';
const [ADA, BEN, TAB] = [440, 1000, 1700];

describe.skipIf(browser.missing)(`comforts of the room page${browser.why}`, () => {
  let service: Service;
  let visitors: Awaited<ReturnType<typeof startVisitors>>;

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-room-comfort-'));
    service = await startService({ directory, address: ADDRESS, numbers: [], flows: {} });
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

  it('lets a participant come back by a button, and with the same link in another tab', async () => {
    const { enter, link } = await room({ description: 'What to do until Friday' });
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const linkOfBen = await link('participant', 'Ben');
    const ben = await visitors.visit(linkOfBen, { tone: BEN });
    await reads(ben.page, 'What to do until Friday');
    await ben.page.setViewportSize({ width: 844, height: 390 });
    const button = await ben.page.getByRole('button', { name: 'Join' }).boundingBox();
    expect(button!.y + button!.height).toBeLessThan(390);
    await press(ben.page, 'Join');
    await ada.untilHeard([BEN]);
    const second = await visitors.another(ben, linkOfBen, { tone: BEN });
    await says(second.page, 'This invitation was used or withdrawn');
    await press(ben.page, 'Leave');
    await says(ben.page, 'You left the room');
    await ada.untilHeard([]);
    await press(ben.page, 'Come back');
    await reads(ben.page, 'You join as Ben, participant.');
    await press(ben.page, 'Come back');
    await isIn(ben.page);
    await reads(ben.page, 'What to do until Friday');
    await Promise.all([ada.untilHeard([BEN]), ada.untilSeen(1)]);
    await press(ben.page, 'Leave');
    await says(ben.page, 'You left the room');
    await second.page.reload();
    await press(second.page, 'Come back');
    await isIn(second.page);
    await ada.untilHeard([BEN]);
  });

  it('lets a participant come back with the same link after the page crashed', async () => {
    const { enter, link } = await room();
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const linkOfBen = await link('participant', 'Ben');
    const ben = await visitors.visit(linkOfBen, { tone: BEN });
    await press(ben.page, 'Join');
    await ada.untilHeard([BEN]);
    const crashed = ben.page.waitForEvent('crash');
    void ben.page.goto('chrome://crash').catch(() => undefined);
    await crashed;
    const again = await visitors.another(ben, linkOfBen, { tone: BEN });
    await press(again.page, 'Come back');
    await isIn(again.page);
    await ada.untilHeard([BEN]);
  });

  it('shows reactions on the tile, and lets a moderator show a participant large to all', async () => {
    const { enter } = await room();
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await ada.untilSeen(1);
    await ben.page.keyboard.press('e');
    await ben.page.locator('button:focus[title="Thumbs up"]').waitFor();
    await ben.page.keyboard.press('Tab');
    await ben.page.locator('button:focus[title="Applause"]').waitFor();
    await ben.page.keyboard.press('Enter');
    await ada.page.locator('.tile', { hasText: 'Ben' }).getByText('👏').waitFor();
    await ben.page.locator('button:focus[aria-label="React"]').waitFor();
    await ada.page.keyboard.press('p');
    await ada.page.locator('summary[aria-label="Actions for Ben"]').click();
    await press(ada.page, 'Spotlight for all: Ben');
    await reads(ben.page, 'A moderator shows you large to all.');
    const large = ben.page.getByRole('list', { name: 'Large' });
    await large.getByText('Spotlight').waitFor();
    await press(ada.page, 'End the spotlight: Ben');
    await large.waitFor({ state: 'detached' });
  });

  it('lets a muted participant talk while Space is held down', async () => {
    const { enter } = await room();
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await ada.untilHeard([BEN]);
    await press(ben.page, 'Mute');
    await ada.untilHeard([]);
    await ben.page.keyboard.down('Space');
    await ada.untilHeard([BEN]);
    await ben.page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
    await ben.page.keyboard.up('Space');
    await ada.untilHeard([]);
  });

  it('shows figures of the connection, and a video in a window of its own', async () => {
    const { enter } = await room();
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await ada.untilSeen(1);
    await ada.page.keyboard.press('n');
    const dialog = ada.page.getByRole('dialog', { name: 'Your connection' });
    await dialog.getByRole('row', { name: /^Bit rate [1-9][\d.]* [kM]bit\/s [1-9]/ }).waitFor();
    await dialog.getByText(/^Round trip: \d+ ms$/).waitFor();
    await ada.page.keyboard.press('Escape');
    // The browser of the test has no windows.
    await ada.page.evaluate(`HTMLVideoElement.prototype.requestPictureInPicture = async function () {
      window.inWindow = this.ariaLabel;
    }`);
    await ada.page.locator('.tile', { hasText: 'Ben' }).hover();
    await press(ada.page, 'Show Ben in a window of its own');
    await expect.poll(() => ada.page.evaluate('window.inWindow')).toBe('Ben');
    await press(ben.page, 'Leave');
  });

  it('shares the sound of a tab with or without the microphone', async () => {
    const { enter } = await room();
    const ada = await enter('moderator', 'Ada', { tone: ADA });
    const ben = await enter('participant', 'Ben', { tone: BEN });
    await ada.untilHeard([BEN]);
    await press(ben.page, 'Mute');
    await ada.untilHeard([]);
    await ben.page.evaluate(`window.tabTone = ${TAB}`);
    await ben.page.keyboard.press('s');
    await ada.untilHeard([TAB]);
    await ada.untilSeen(2);
    await press(ben.page, 'Unmute');
    await press(ben.page, 'Mute');
    expect(await ada.heard()).toEqual([expect.closeTo(TAB, -2)]);
    await ben.page.keyboard.press('s');
    await ada.untilHeard([]);
    await press(ben.page, 'Unmute');
    await ada.untilHeard([BEN]);
  });
});
