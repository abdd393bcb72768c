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
const [ADA, BEN] = [440, 1000];

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
    await press(ben.page, 'Join');
    await ada.untilHeard([BEN]);
    const second = await visitors.another(ben, linkOfBen, { tone: BEN });
    await says(second.page, 'This invitation was already used');
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
});
