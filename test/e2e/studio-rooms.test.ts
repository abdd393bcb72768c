/**
 * Video rooms in the studio: participants, admission, mute, removal; the end of a session; its history and last
 * participants.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { type Service, startService } from './service.ts';

describe.skipIf(browser.missing)(`video rooms in the studio${browser.why ?? ''}`, () => {
  let service: Service;
  let studio: Studio;
  const sockets: WebSocket[] = [];

  const enter = async (room: string, name: string, role: string) => {
    const { body } = await service.api('POST', `/video/v2/rooms/${room}/tokens`, { name, role, user_ref: name });
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/video/v2/connect`);
    sockets.push(socket);
    await new Promise((resolve) => socket.once('open', resolve));
    const welcomed = new Promise((resolve) => socket.once('message', resolve));
    socket.send(JSON.stringify({ type: 'join', token: body['token'] }));
    await welcomed;
  };
  const pills = () => studio.page.locator('section[aria-label="Room Daily"] tbody .pill').allInnerTexts();

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-studio-rooms-')),
      address: '127.0.0.68',
      numbers: [],
      flows: {},
      more: { video: { dial_in: { numbers: [{ phone: '+33 1 23' }] } } },
    });
    studio = await openStudio(service);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.terminate();
    await studio?.close();
    await service?.kill();
  });

  test('are shown as they come to be, and who is in', async () => {
    const { page } = studio;
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByText('No video rooms yet.').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.locator('main').getByText('POST').count()).toBe(0);
    await page.locator('main').getByRole('button', { name: 'New room' }).click();
    await page.getByLabel('Name').fill('First');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Link into the room' });
    const link = await dialog.getByRole('link', { name: 'Open the room' }).getAttribute('href');
    expect(link).toMatch(/\/room\/[^#]+#\S+$/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Room First' }).waitFor();
    const order = { name: 'Daily', owner_ref: 'acme', settings: { knock: true } };
    const { body } = await service.api('POST', '/video/v2/rooms', order);
    const { room_id: room } = body['room'] as { room_id: string };
    await service.api('POST', '/video/v2/rooms', { name: 'Weekly <b>', owner_ref: 'acme' });
    for (const name of ['Ada', 'Ben']) await enter(room, name, 'moderator');
    for (const name of ['Cleo', 'Dora']) await enter(room, name, 'participant');
    await page.getByText('1 of 3 rooms in use').waitFor();
    await page.getByText('4 people').waitFor();
    expect(await pills()).toEqual(['is in', 'is in', 'knocks', 'knocks']);
    await page.getByRole('region', { name: 'Room Weekly <b>' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('makes a lecture with phones and an audience, and links for each role', async () => {
    const { page } = studio;
    await page.keyboard.press('n');
    const form = page.getByRole('dialog', { name: 'New video room' });
    await form.getByLabel('Name').fill('Talk');
    await form.getByLabel('Mode').selectOption('lecture');
    await form.getByLabel(/dial in by phone/).check();
    await form.getByLabel('An audience can watch').check();
    expect(await accessibilityProblems(page)).toEqual([]);
    await form.getByRole('button', { name: 'Create room' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link into the room' });
    await dialog.getByText(/Call \+33 1 23, then enter the PIN [\d ]+\./).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const opened = async () => {
      const join = await dialog.getByRole('link', { name: 'Open the room' }).getAttribute('href');
      return join!.split('#')[1]!;
    };
    const links = [await opened()];
    for (const role of ['Participant', 'Audience']) {
      await dialog.getByText(role, { exact: true }).click();
      await expect.poll(opened).not.toBe(links.at(-1));
      links.push(await opened());
    }
    expect(await dialog.getByLabel('Name in the room').inputValue()).toBe('Viewer');
    expect(new Set(links).size).toBe(3);
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Room Talk' }).getByText('permanent lecture, by phone too, empty').waitFor();
  });

  test('admits and denies participants in the lobby', async () => {
    const { page } = studio;
    await page.getByRole('button', { name: 'Admit Cleo' }).focus();
    await page.keyboard.press('a');
    await expect.poll(pills).toEqual(['is in', 'is in', 'is in', 'knocks']);
    await page.getByRole('button', { name: 'Deny entry to Dora' }).click();
    await expect.poll(pills).toEqual(['is in', 'is in', 'is in']);
  });

  test('mutes, removes and ends by one key each, and shows events and recent participants', async () => {
    const { page } = studio;
    await page.getByRole('button', { name: 'Mute Ada' }).focus();
    await page.keyboard.press('m');
    await expect.poll(pills).toEqual(['is in', 'muted', 'is in', 'is in']);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.keyboard.press('x');
    await expect.poll(pills).toEqual(['is in', 'is in']);
    const daily = page.getByRole('region', { name: 'Room Daily' });
    await daily.getByText('What happened').click();
    await daily.getByRole('cell', { name: 'An administrator sent Ada out' }).waitFor();
    const told = await daily.locator('details').first().locator('tbody td:last-child').allInnerTexts();
    expect(told).toEqual([
      'An administrator sent Ada out',
      'Ada was sent out',
      'An administrator muted the audio of Ada, who cannot unmute themselves',
      'An administrator turned Dora away',
      'An administrator let Cleo in',
      'Cleo came in (participant)',
      'Ben came in (moderator)',
      'Ada came in (moderator)',
      'The session began',
    ]);
    await daily.getByText('Recent participants').click();
    await daily.getByRole('cell', { name: 'Ada moderator', exact: true }).waitFor();
    if (process.env['PICTURES']) {
      await page.screenshot({ path: `${process.env['PICTURES']}/rooms-wide.png` });
      await page.setViewportSize({ width: 390, height: 800 });
      await page.screenshot({ path: `${process.env['PICTURES']}/rooms-narrow.png` });
      await page.setViewportSize({ width: 1280, height: 800 });
    }
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Mute Ben' }).focus();
    page.once('dialog', (dialog) => void dialog.accept());
    await page.keyboard.press('e');
    await page.getByText('0 of 4 rooms in use').waitFor();
    expect(studio.problems).toEqual([]);
  });

  test('appears although its code cannot be loaded at first, and the service answers late', async () => {
    const page = await studio.another();
    await page.goto(`${service.url}/studio/calls`);
    await page.locator('.page:not([aria-busy])').waitFor();
    await page.route('**/assets/*.js', (route) => route.abort());
    // The page asks every two seconds.
    await page.route('**/admin/v1/rooms?*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 3000));
      await route.continue();
    });
    await page.getByRole('link', { name: 'Rooms' }).click();
    await page.getByText('This screen could not be loaded').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/not-loaded.png` });
    await page.unroute('**/assets/*.js');
    await page.getByText('0 of 4 rooms in use').waitFor();
  });
});
