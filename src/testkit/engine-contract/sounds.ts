/** Prompts and recordings. */
import { expect } from 'vitest';
import type { ContractTopic } from '../engine-case.ts';
import { answer, LONG_SOUND, near, play, proves, record, SOUND } from '../engine-case.ts';

export const plays: ContractTopic = {
  topic: 'plays',
  cases: [
    proves('to the end', [], async (contract) => {
      const line = await contract.connected();
      line.send(play('p', [...SOUND, { type: 'silence', durationMs: 200 }]));
      expect(await line.until('play_ended')).toEqual({
        type: 'play_ended',
        playId: 'p',
        reason: 'finished',
        playedMs: near(contract, 500),
      });
    }),
    proves('nothing at all', [], async (contract) => {
      const line = await contract.connected();
      line.send(play('p', []), play('q', [], true));
      await line.until('play_ended', 2);
      expect(line.all('play_ended').map(({ reason }) => reason)).toEqual(['finished', 'finished']);
    }),
    proves('until it is stopped, however often that is asked', [], async (contract) => {
      const line = await contract.connected();
      line.send(play('p', SOUND, true));
      await contract.harness.elapse(1_000);
      expect(line.types).toEqual(['answered']);
      line.send({ type: 'stop_play', playId: 'p' }, { type: 'stop_play', playId: 'p' });
      expect(await line.until('play_ended')).toMatchObject({ reason: 'stopped', playedMs: near(contract, 1_000) });
    }),
    proves('and stops before it began', [], async (contract) => {
      const line = await contract.connected();
      line.send(play('p'), { type: 'stop_play', playId: 'p' });
      expect(await line.until('play_ended')).toMatchObject({ reason: 'stopped' });
    }),
    proves('one thing at a time: the next stops the one before', [], async (contract) => {
      const line = await contract.connected();
      line.send(play('p', LONG_SOUND));
      await contract.harness.elapse(50);
      line.send(play('q'));
      await line.until('play_ended', 2);
      expect(line.all('play_ended')).toMatchObject([
        { playId: 'p', reason: 'stopped' },
        { playId: 'q', reason: 'finished' },
      ]);
    }),
    proves('the next after a stop, and its late stop harms nothing', [], async (contract) => {
      const line = await contract.connected();
      line.send(play('p', LONG_SOUND), { type: 'stop_play', playId: 'p' }, play('q'), {
        type: 'stop_play',
        playId: 'p',
      });
      await line.until('play_ended', 2);
      expect(line.all('play_ended')).toMatchObject([
        { playId: 'p', reason: 'stopped' },
        { playId: 'q', reason: 'finished' },
      ]);
    }),
    proves('what was asked for before the answer, after it', [], async (contract) => {
      const line = await contract.offered();
      line.send(play('p'));
      await contract.harness.elapse(500);
      expect(line.types).toEqual([]);
      line.send(answer);
      expect(await line.until('play_ended')).toMatchObject({ reason: 'finished', playedMs: near(contract, 300) });
    }),
    proves('before the answer, as early media', ['early_media'], async (contract) => {
      const line = await contract.offered();
      line.send({ type: 'progress' }, play('p'));
      expect(await line.until('play_ended')).toMatchObject({ reason: 'finished' });
      line.send(answer);
      await line.until('answered');
      expect(line.types).toEqual(['play_ended', 'answered']);
    }),
    proves('and says why it cannot', ['missing_audio'], async (contract) => {
      const line = await contract.connected();
      line.send(play('p', [{ type: 'file', file: contract.harness.missingFile! }]));
      expect(await line.until('play_ended')).toMatchObject({
        reason: 'failed',
        playedMs: 0,
        fault: { code: expect.any(String), message: expect.any(String) },
      });
    }),
  ],
};

export const records: ContractTopic = {
  topic: 'records',
  cases: [
    proves('until the limit', ['record'], async (contract) => {
      const line = await contract.connected();
      line.send(record('r', { maxLengthMs: 400, endSilenceMs: 100 }));
      expect(await line.until('record_ended')).toMatchObject({
        recordId: 'r',
        reason: 'max_length',
        durationMs: near(contract, 400),
        speechMs: 0,
      });
    }),
    proves('until silence after speech', ['record', 'speak'], async (contract) => {
      const line = await contract.connected();
      line.send(record('r', { endSilenceMs: 400 }));
      await contract.harness.elapse(300);
      line.party.speak(500);
      const ended = await line.until('record_ended');
      expect(ended).toMatchObject({
        reason: 'end_silence',
        durationMs: near(contract, 1_200),
        speechMs: near(contract, 500),
      });
    }),
    proves('until a digit that ends it, which is also told', ['record', 'press'], async (contract) => {
      const line = await contract.connected();
      line.send(record('r', { terminators: '#*' }));
      line.party.press('1#');
      expect(await line.until('record_ended')).toMatchObject({ reason: 'terminator' });
      expect(line.all('digit').map(({ digit }) => digit)).toEqual(['1', '#']);
    }),
    proves('until it is stopped, twice', ['record'], async (contract) => {
      const line = await contract.connected();
      line.send(record('r'));
      await contract.harness.elapse(200);
      line.send({ type: 'stop_record', recordId: 'r' }, { type: 'stop_record', recordId: 'r' });
      expect(await line.until('record_ended')).toMatchObject({ reason: 'stopped', durationMs: near(contract, 200) });
    }),
    proves('one thing at a time', ['record'], async (contract) => {
      const line = await contract.connected();
      line.send(record('r'), record('s', { maxLengthMs: 200 }));
      await line.until('record_ended', 2);
      expect(line.all('record_ended')).toMatchObject([
        { recordId: 'r', reason: 'stopped' },
        { recordId: 's', reason: 'max_length' },
      ]);
    }),
    proves('its call in the background, beside a message', ['record', 'speak'], async (contract) => {
      const line = await contract.connected();
      line.send(record('call', { background: true, dual: true }));
      await contract.harness.elapse(200);
      line.send(record('message', { maxLengthMs: 400 }));
      line.party.speak(300);
      expect(await line.until('record_ended')).toMatchObject({ recordId: 'message', reason: 'max_length' });
      await contract.harness.elapse(100);
      line.send({ type: 'stop_record', recordId: 'call' });
      await line.until('record_ended', 2);
      expect(line.all('record_ended')[1]).toMatchObject({
        recordId: 'call',
        reason: 'stopped',
        durationMs: near(contract, 700),
        speechMs: near(contract, 300),
      });
    }),
    proves('nothing while it is paused, however often that is asked', ['record', 'speak'], async (contract) => {
      const line = await contract.connected();
      const pause = (paused: boolean) => line.send({ type: 'pause_record', recordId: 'r', paused });
      line.send(record('r', { maxLengthMs: 1_000 }));
      await contract.harness.elapse(300);
      pause(true);
      pause(true);
      line.party.speak(300);
      await contract.harness.elapse(900);
      pause(false);
      pause(false);
      await contract.harness.elapse(300);
      line.send({ type: 'stop_record', recordId: 'r' });
      expect(await line.until('record_ended')).toMatchObject({
        reason: 'stopped',
        durationMs: near(contract, 600),
        speechMs: near(contract, 0),
      });
    }),
  ],
};
