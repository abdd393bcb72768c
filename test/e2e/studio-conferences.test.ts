/**
 * Calls in conferences and queues, in a real browser and by keyboard only: members, mute, hold, hang-up; and waiting
 * callers.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../programs.ts';
import { accessibilityProblems, browser, openStudio, type Studio } from './browser.ts';
import { invite, isHungUp, playCaller, receives, request } from './scenario.ts';
import { type Service, startService } from './service.ts';
import type { SippRun } from './sipp.ts';

const READ = 'the-token-of-one-who-looks';
const ADDRESS = '127.0.0.54';
const CALLER_ADDRESS = '127.0.0.55';
const meeting = (flow: string, step: string) =>
  `flow: ${flow}\ndefaults: { exits: { error: bye } }\nstart: meet\nsteps:\n  meet: ${step}\n  bye: { hangup: normal }\n`;
const FLOWS = {
  'meeting.flow.yaml': meeting(
    'meeting',
    '{ conference: { name: weekly }, exits: { left: bye, ended: bye, full: bye } }',
  ),
  // The agent is not registered, so callers wait.
  'desk.flow.yaml': meeting(
    'desk',
    '{ queue: { name: support, agents: ["user:ann"] }, exits: { dequeued: bye, full: bye } }',
  ),
};

const sipp = program('sipp');
const missing = [browser, sipp].find((each) => each.missing);

describe.skipIf(missing !== undefined)(`conferences in a browser${missing?.why ?? ''}`, () => {
  let service: Service;
  let studio: Studio;
  const runs: SippRun[] = [];

  /** Callers who stay until they are hung up. */
  const call = async (number: string, calls: number, port: number) => {
    const ends = {
      target: service.sip,
      number,
      calls,
      address: CALLER_ADDRESS,
      port,
      mediaPort: 16_000 + 20 * (port - 5070),
    };
    const patient = ['-recv_timeout', '60000', '-timeout', '60s'];
    const steps = [invite(), receives(200), request('ACK'), isHungUp()];
    runs.push(await playCaller(steps, { ...ends, from: `555${number}`, more: patient }));
  };
  const pills = () => studio.page.locator('section[aria-label="Conference weekly"] tbody .pill').allInnerTexts();

  beforeAll(async () => {
    service = await startService({
      directory: mkdtempSync(join(tmpdir(), 'callweave-conferences-')),
      address: ADDRESS,
      sip: { allow_sip_uris: [CALLER_ADDRESS], users: [{ name: 'ann', password: 'a password of hers' }] },
      numbers: [
        { number: '1000', flow: 'meeting' },
        { number: '2000', flow: 'desk' },
      ],
      flows: FLOWS,
      more: { admin: { tokens: [{ name: 'looks', token: READ, role: 'read' }] } },
    });
    studio = await openStudio(service);
  });
  afterAll(async () => {
    await studio?.close();
    for (const run of runs) run.stop();
    // Its callers have left without a BYE: an orderly stop would wait for them.
    await service?.kill();
  });

  test('are shown as they come to be', async () => {
    const { page } = studio;
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByText('No active conferences.').waitFor();
    await call('1000', 3, 5070);
    await call('2000', 2, 5071);
    await page.getByText('1 conference with 3 calls').waitFor();
    await page.getByRole('region', { name: 'Queue support' }).getByText('waits as number 2').waitFor();
    expect(await pills()).toEqual(['talks', 'talks', 'talks']);
    expect(await accessibilityProblems(page)).toEqual([]);
  });

  test('are only looked at with a token that may only read, as live calls are', async () => {
    const page = await studio.signedIn(READ, '/conferences');
    const weekly = page.getByRole('region', { name: 'Conference weekly' });
    await weekly.getByText('talks').first().waitFor();
    expect(await weekly.getByRole('button').count()).toBe(0);
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.getByText('Next call').waitFor();
    expect(await keys.getByText('Hang this call up').count()).toBe(0);
    await page.goto(`${service.url}/studio/calls`);
    await page.getByRole('link', { name: 'Live calls of' }).waitFor();
    expect(await page.getByRole('button', { name: 'Hang up' }).count()).toBe(0);
    await page.context().close();
    await studio.open('/calls');
    await studio.page.getByRole('button', { name: 'Hang up' }).waitFor();
    await studio.open('/conferences');
    await studio.page.getByRole('region', { name: 'Conference weekly' }).waitFor();
  });

  test('mutes, holds and hangs up by one key each', async () => {
    const { page } = studio;
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('m');
    await expect.poll(pills).toEqual(['muted', 'talks', 'talks']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('h');
    await expect.poll(pills).toEqual(['muted', 'on hold', 'talks']);
    await page.keyboard.press('h');
    await expect.poll(pills).toEqual(['muted', 'talks', 'talks']);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.keyboard.press('x');
    await page.getByText('1 conference with 2 calls').waitFor();
    expect(await pills()).toEqual(['muted', 'talks']);
  });

  test('ends a conference by one key, with all members hung up', async () => {
    const { page } = studio;
    await page.keyboard.press('ArrowDown');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.keyboard.press('e');
    await page.getByText('0 conferences with 0 calls').waitFor();
    expect((await service.api('GET', '/voice/v1/conference')).body['conferences']).toEqual([]);
    await page.getByRole('region', { name: 'Queue support' }).waitFor();
    expect(studio.problems).toEqual([]);
  });
});
