/** Inbound calls, commands that are invalid in the current state (E3), and the stop of the engine. */
import { expect } from 'vitest';
import type { LegCommand } from '../../../src/base/core/leg.ts';
import type { ContractTopic } from './engine-case.ts';
import {
  answer,
  contractCase,
  detect,
  hangup,
  join,
  LONG_SOUND,
  listen,
  play,
  record,
  refer,
  SOUND,
  sendDigits,
  stream,
} from './engine-case.ts';

const ANY: readonly LegCommand[] = [
  { type: 'ring' },
  { type: 'progress' },
  answer,
  { type: 'reject', sipStatus: 486 },
  play('late'),
  { type: 'stop_play', playId: 'late' },
  record('late'),
  { type: 'pause_record', recordId: 'late', paused: true },
  { type: 'stop_record', recordId: 'late' },
  sendDigits('late'),
  { type: 'hold', music: SOUND },
  { type: 'resume' },
  join('late'),
  { type: 'mute', muted: true },
  { type: 'withhold', on: true },
  { type: 'leave' },
  stream('late'),
  { type: 'stop_stream', streamId: 'late' },
  listen('late'),
  { type: 'stop_listen', listenId: 'late' },
  detect('late'),
  { type: 'stop_detect', detectId: 'late' },
  refer('late'),
  { type: 'refer_progress', referId: 'late', sipStatus: 200 },
  hangup,
];

/** They begin nothing, and nothing is there that they could end. */
const STOPS: readonly LegCommand[] = [
  { type: 'stop_play', playId: 'x' },
  { type: 'pause_record', recordId: 'x', paused: true },
  { type: 'stop_record', recordId: 'x' },
  { type: 'stop_stream', streamId: 'x' },
  { type: 'stop_listen', listenId: 'x' },
  { type: 'stop_detect', detectId: 'x' },
  { type: 'refer_progress', referId: 'x', sipStatus: 200 },
  { type: 'resume' },
  { type: 'leave' },
  { type: 'mute', muted: true },
  { type: 'withhold', on: false },
];

export const misfits: ContractTopic = {
  topic: 'ignores what does not fit (E3)',
  cases: [
    contractCase('commands for a leg that never was', [], async (driver) => {
      for (const command of ANY) driver.host.send('nobody', command);
      await driver.harness.elapse(100);
    }),
    contractCase('commands after the end', [], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(hangup);
      await leg.waitFor('ended');
      leg.send(...ANY);
      await driver.harness.elapse(500);
      expect(leg.types.at(-1)).toBe('ended');
    }),
    contractCase('a rejection after the answer', [], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send({ type: 'reject', sipStatus: 486 });
      await driver.harness.elapse(200);
      expect(leg.types).not.toContain('ended');
    }),
    contractCase('an answer after a rejection', [], async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send({ type: 'reject', sipStatus: 603 }, answer);
      await leg.waitFor('ended');
      expect(leg.types).not.toContain('answered');
    }),
    contractCase('a second answer, and ringing after it', [], async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send(answer, answer);
      await leg.waitFor('answered');
      leg.send(answer, { type: 'ring' }, { type: 'progress' });
      await driver.harness.elapse(200);
      expect(leg.all('answered')).toHaveLength(1);
    }),
    contractCase('an answer to a call of ours', ['dial_no_answer'], async (driver) => {
      const leg = await driver.dial({ does: 'no_answer' });
      await leg.waitFor('ringing');
      leg.send(answer, { type: 'reject', sipStatus: 486 }, { type: 'ring' }, { type: 'progress' });
      await driver.harness.elapse(200);
      expect(leg.types).toEqual(['ringing']);
    }),
    contractCase('the stop of what never was', [], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(...STOPS);
      await driver.harness.elapse(100);
      expect(leg.types).toEqual(['answered']);
    }),
  ],
};

export const arrivals: ContractTopic = {
  topic: 'receives calls',
  cases: [
    contractCase('tells who calls whom', [], async (driver) => {
      await driver.offeredLeg();
      const [leg] = driver.host.arrivals;
      expect(leg?.from).toBeTruthy();
      expect(leg?.to).toBeTruthy();
    }),
    contractCase('rejects with a SIP status', [], async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send({ type: 'reject', sipStatus: 486 });
      expect(await leg.waitFor('ended')).toMatchObject({ by: 'near', cause: { code: 17 }, sipStatus: 486 });
    }),
    contractCase('keeps two calls apart', [], async (driver) => {
      const [one, other] = [await driver.connectedLeg(), await driver.connectedLeg()];
      one.send(play('p'));
      other.send(hangup);
      await other.waitFor('ended');
      expect(await one.waitFor('play_ended')).toMatchObject({ reason: 'finished' });
      expect(one.types).not.toContain('ended');
      expect(other.types).not.toContain('play_ended');
    }),
  ],
};

export const stops: ContractTopic = {
  topic: 'stops',
  cases: [
    contractCase('with an end for every leg, and nothing after', ['dial_no_answer'], async (driver) => {
      const lines = [await driver.offeredLeg(), await driver.connectedLeg(), await driver.dial({ does: 'no_answer' })];
      lines[1]!.send(play('p', LONG_SOUND));
      await driver.harness.engine.stop();
      for (const leg of lines) expect(leg.types.at(-1)).toBe('ended');
      await driver.harness.elapse(500);
      expect(driver.host.violations()).toEqual([]);
    }),
    contractCase('with a mix, streams and listeners at work', ['mix', 'stream', 'listen'], async (driver) => {
      const lines = [await driver.connectedLeg(), await driver.connectedLeg()];
      for (const leg of lines) leg.send(join('m'), stream('s'), listen('l'));
      await driver.harness.engine.stop();
      for (const leg of lines) expect(leg.types.at(-1)).toBe('ended');
      await driver.harness.elapse(500);
      expect(driver.host.violations()).toEqual([]);
    }),
    contractCase('twice, and a call that is dialled afterwards fails', [], async (driver) => {
      await driver.harness.engine.stop();
      await driver.harness.engine.stop();
      driver.host.dial({ legId: 'late', from: '1', to: '+33100000000', ringTimeoutMs: 1_000 });
      await driver.waitUntil(() => driver.host.legs.get('late')!.length > 0, 'the end of a call after the stop');
      expect(driver.host.violations()).toEqual([]);
    }),
  ],
};
