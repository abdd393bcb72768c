/** Calls that come in, commands that do not fit (E3), and the stop of the engine. */
import { expect } from 'vitest';
import type { LegCommand } from '../../core/leg.ts';
import type { ContractTopic } from '../engine-case.ts';
import {
  answer,
  detect,
  hangup,
  join,
  LONG_SOUND,
  listen,
  play,
  proves,
  record,
  refer,
  SOUND,
  sendDigits,
  stream,
} from '../engine-case.ts';

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
];

export const misfits: ContractTopic = {
  topic: 'ignores what does not fit (E3)',
  cases: [
    proves('commands for a leg that never was', [], async (contract) => {
      for (const command of ANY) contract.watch.send('nobody', command);
      await contract.harness.elapse(100);
    }),
    proves('commands after the end', [], async (contract) => {
      const line = await contract.connected();
      line.send(hangup);
      await line.until('ended');
      line.send(...ANY);
      await contract.harness.elapse(500);
      expect(line.types.at(-1)).toBe('ended');
    }),
    proves('a rejection after the answer', [], async (contract) => {
      const line = await contract.connected();
      line.send({ type: 'reject', sipStatus: 486 });
      await contract.harness.elapse(200);
      expect(line.types).not.toContain('ended');
    }),
    proves('an answer after a rejection', [], async (contract) => {
      const line = await contract.offered();
      line.send({ type: 'reject', sipStatus: 603 }, answer);
      await line.until('ended');
      expect(line.types).not.toContain('answered');
    }),
    proves('a second answer, and ringing after it', [], async (contract) => {
      const line = await contract.offered();
      line.send(answer, answer);
      await line.until('answered');
      line.send(answer, { type: 'ring' }, { type: 'progress' });
      await contract.harness.elapse(200);
      expect(line.all('answered')).toHaveLength(1);
    }),
    proves('an answer to a call of ours', ['dial_no_answer'], async (contract) => {
      const line = await contract.dial({ does: 'no_answer' });
      await line.until('ringing');
      line.send(answer, { type: 'reject', sipStatus: 486 }, { type: 'ring' }, { type: 'progress' });
      await contract.harness.elapse(200);
      expect(line.types).toEqual(['ringing']);
    }),
    proves('the stop of what never was', [], async (contract) => {
      const line = await contract.connected();
      line.send(...STOPS);
      await contract.harness.elapse(100);
      expect(line.types).toEqual(['answered']);
    }),
  ],
};

export const arrivals: ContractTopic = {
  topic: 'receives calls',
  cases: [
    proves('tells who calls whom', [], async (contract) => {
      await contract.offered();
      const [leg] = contract.watch.arrivals;
      expect(leg?.from).toBeTruthy();
      expect(leg?.to).toBeTruthy();
    }),
    proves('rejects with a SIP status', [], async (contract) => {
      const line = await contract.offered();
      line.send({ type: 'reject', sipStatus: 486 });
      expect(await line.until('ended')).toMatchObject({ by: 'near', cause: { code: 17 }, sipStatus: 486 });
    }),
    proves('keeps two calls apart', [], async (contract) => {
      const [one, other] = [await contract.connected(), await contract.connected()];
      one.send(play('p'));
      other.send(hangup);
      await other.until('ended');
      expect(await one.until('play_ended')).toMatchObject({ reason: 'finished' });
      expect(one.types).not.toContain('ended');
      expect(other.types).not.toContain('play_ended');
    }),
  ],
};

export const stops: ContractTopic = {
  topic: 'stops',
  cases: [
    proves('with an end for every leg, and nothing after', ['dial_no_answer'], async (contract) => {
      const lines = [await contract.offered(), await contract.connected(), await contract.dial({ does: 'no_answer' })];
      lines[1]!.send(play('p', LONG_SOUND));
      await contract.harness.engine.stop();
      for (const line of lines) expect(line.types.at(-1)).toBe('ended');
      await contract.harness.elapse(500);
      expect(contract.watch.violations()).toEqual([]);
    }),
    proves('with a mix, streams and listeners at work', ['mix', 'stream', 'listen'], async (contract) => {
      const lines = [await contract.connected(), await contract.connected()];
      for (const line of lines) line.send(join('m'), stream('s'), listen('l'));
      await contract.harness.engine.stop();
      for (const line of lines) expect(line.types.at(-1)).toBe('ended');
      await contract.harness.elapse(500);
      expect(contract.watch.violations()).toEqual([]);
    }),
    proves('twice, and a call that is dialled afterwards fails', [], async (contract) => {
      await contract.harness.engine.stop();
      await contract.harness.engine.stop();
      contract.watch.dial('late', '+33100000000', 1_000);
      await contract.until(() => contract.watch.legs.get('late')!.length > 0, 'the end of a call after the stop');
      expect(contract.watch.violations()).toEqual([]);
    }),
  ],
};
