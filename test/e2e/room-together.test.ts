/**
 * Room page in Chromium: what participants do beside talking, such as feedback. Skipped, with the reason, without
 * Chromium.
 */
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createFlite } from '../../src/media/speech/flite/flite.ts';
import { missingFiles, modelsDirectory, voskFiles } from '../../src/media/speech/vosk/model-files.ts';
import { joined, quiet } from '../speech/recognition-sounds.ts';
import { accessibilityProblems, browser } from './browser.ts';
import { openRoom, press, reads, says, startVisitors } from './room-visitors.ts';
import { type Service, startService } from './service.ts';

const ADDRESS = '127.0.0.176';
const DATA = join(import.meta.dirname, '../../data');
const modelMissing = missingFiles(voskFiles(modelsDirectory(DATA))) !== undefined;

/** 16-bit samples at 8 kHz in base64, with a pause after the words. */
async function speak(text: string): Promise<string> {
  const flite = createFlite();
  const parts: Int16Array[] = [];
  const request = { text, language: 'en-US', voice: 'male', rate: 1, pitch: 1 } as const;
  for await (const part of flite.synthesize(request, new AbortController().signal)) parts.push(part);
  await flite.stop();
  const samples = joined(...parts, quiet(2));
  return Buffer.from(samples.buffer).toString('base64');
}

describe.skipIf(browser.missing)(`the room page, beside talking${browser.why}`, () => {
  let service: Service;
  let visitors: Awaited<ReturnType<typeof startVisitors>>;

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'callweave-room-together-'));
    mkdirSync(join(directory, 'data'));
    if (!modelMissing) symlinkSync(modelsDirectory(DATA), join(directory, 'data/models'));
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

  /** Checks with axe, and that nothing scrolls sideways, at both widths. */
  async function check(page: Page, where: string): Promise<void> {
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await accessibilityProblems(page, { isStrict: true }), `${where}, ${width}`).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), where).toBeLessThanOrEqual(width);
      const { PICTURES: folder } = process.env;
      if (!folder) continue;
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${folder}/${where}-${width}-${colorScheme}.png` });
      }
      await page.emulateMedia({ colorScheme: null });
    }
  }

  it('asks for feedback at the end, by keys, in rooms that want it', async () => {
    const { enter, roomId } = await room({ feedback: true });
    const { page } = await enter('participant', 'Ben');
    await press(page, 'Leave');
    await says(page, 'You left the room');
    await check(page, 'feedback');
    await page.getByRole('radio', { name: '1 of 5: Very bad' }).focus();
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Good sound');
    await press(page, 'Send feedback');
    await reads(page, 'Thank you for your feedback.');
    const { body } = await service.api('GET', `/video/v2/cdr/room/${roomId}`);
    expect(body['cdr']).toMatchObject([{ feedback: { rating: 4, text: 'Good sound' } }]);
    const quiet = await (await room()).enter('participant', 'Cleo');
    await press(quiet.page, 'Leave');
    await says(quiet.page, 'You left the room');
    expect(await quiet.page.getByText('How was it?').count()).toBe(0);
  });

  it('lets a moderator invite by a link or a QR code, and withdraw the link, where the room allows it', async () => {
    const { enter } = await room({ invitations: ['participant', 'viewer'] });
    const { page } = await enter('moderator', 'Ada');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.press('p');
    await press(page, 'Invite');
    await page.getByRole('textbox', { name: 'Name of the person' }).fill('Eve');
    await page.keyboard.press('Enter');
    await reads(page, /^For one person, once, until \d/);
    await page.getByRole('img', { name: 'QR code for Eve' }).waitFor();
    await check(page, 'invite');
    await press(page, 'Copy the link for Eve');
    await page.getByText('Copied').first().waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    const eve = await visitors.visit(link);
    await press(eve.page, 'Join');
    await reads(page, 'Eve');
    await page.getByRole('textbox', { name: 'Name of the person' }).fill('Vera');
    await page.getByRole('combobox', { name: 'Role' }).selectOption('viewer');
    await press(page, 'Create link');
    await press(page, 'Copy the link for Vera');
    await page.getByText('Copied').nth(1).waitFor();
    const linkOfVera = await page.evaluate<string>('navigator.clipboard.readText()');
    await press(page, 'Withdraw the link for Vera');
    await reads(page, 'The link was withdrawn.');
    const vera = await visitors.visit(linkOfVera);
    await says(vera.page, 'This invitation was used or withdrawn');
    await eve.page.keyboard.press('p');
    await eve.page.getByRole('list', { name: 'In the room' }).waitFor();
    expect(await eve.page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  });

  it.skipIf(modelMissing)(
    'shows captions to those who turn them on, and tells all that speech is recognised',
    async () => {
      const { enter } = await room({ captions: 'en' });
      const { page } = await enter('moderator', 'Ada');
      const ben = await enter('participant', 'Ben', { speech: await speak('please call customer support') });
      await press(page, 'Mute');
      await reads(page, 'Ben is speaking');
      await page.keyboard.press('t');
      const captions = page.getByRole('region', { name: 'Captions' });
      await captions
        .locator('[aria-live="polite"]')
        .getByText(/^Ben .*customer support/)
        .first()
        .waitFor({ timeout: 30_000 });
      await ben.page.getByText('Captions on', { exact: true }).waitFor();
      expect(await ben.page.getByRole('region', { name: 'Captions' }).count()).toBe(0);
      await check(page, 'captions');
      await press(page, 'Captions');
      await ben.page.getByText('Captions on', { exact: true }).waitFor({ state: 'detached' });
      expect(await captions.count()).toBe(0);
    },
    60_000,
  );

  it('lets a moderator ask all, by keys, and shows the results to those who voted', async () => {
    const { enter } = await room();
    const { page } = await enter('moderator', 'Ada');
    const ben = await enter('participant', 'Ben');
    expect(await ben.page.getByRole('button', { name: 'Polls' }).count()).toBe(0);
    await page.keyboard.press('o');
    await page.keyboard.type('When shall we meet?');
    await page.keyboard.press('Tab');
    await page.keyboard.type('On Monday');
    await page.keyboard.press('Tab');
    await page.keyboard.type('On Tuesday');
    await check(page, 'poll-form');
    await page.keyboard.press('Enter');
    await reads(ben.page, 'Ada asks: When shall we meet?');
    await press(ben.page, 'Answer');
    await ben.page.getByRole('radio', { name: 'On Monday' }).focus();
    await ben.page.keyboard.press('Space');
    expect(await ben.page.getByRole('list', { name: 'Results' }).count()).toBe(0);
    await ben.page.keyboard.press('Enter');
    await ben.page.getByRole('list', { name: 'Results' }).getByText('On Monday (your vote)').waitFor();
    await check(ben.page, 'poll-vote');
    await page.getByText('1 · 100 %').waitFor();
    const cleo = await enter('participant', 'Cleo');
    await reads(cleo.page, 'Ada asks: When shall we meet?');
    await press(page, 'Close the poll');
    await reads(cleo.page, 'The poll is closed: When shall we meet?');
    await cleo.page.keyboard.press('o');
    await cleo.page.getByRole('list', { name: 'Results' }).getByText('1 · 100 %').waitFor();
    await check(page, 'poll-closed');
  });

  it('blurs the background by cameras that offer it, and remembers the choice', async () => {
    const { link } = await room();
    const ada = await visitors.visit(await link('participant', 'Ada'), { blurs: true });
    const box = (page: Page) => page.getByRole('checkbox', { name: 'Blur the background' });
    expect(await box(ada.page).isChecked()).toBe(false);
    await box(ada.page).check();
    await check(ada.page, 'blur');
    const again = await visitors.another(ada, await link('participant', 'Ada'), { blurs: true });
    await expect.poll(() => box(again.page).isChecked()).toBe(true);
    const ben = await visitors.visit(await link('participant', 'Ben'));
    await ben.page.getByRole('combobox', { name: 'Camera' }).waitFor();
    expect(await box(ben.page).count()).toBe(0);
  });
});
