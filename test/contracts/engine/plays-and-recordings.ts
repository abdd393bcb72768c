/** Prompts and recordings. */
import { expect } from 'vitest';
import type { ContractTopic } from './engine-case.ts';
import { answer, contractCase, LONG_SOUND, near, play, record, SOUND } from './engine-case.ts';

export const plays: ContractTopic = {
  topic: 'plays',
  cases: [
    contractCase('to the end', [], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p', [...SOUND, { type: 'silence', durationMs: 200 }]));
      expect(await leg.waitFor('play_ended')).toEqual({
        type: 'play_ended',
        playId: 'p',
        reason: 'finished',
        playedMs: near(driver, 500),
      });
    }),
    contractCase('nothing at all', [], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p', []), play('q', [], true));
      await leg.waitFor('play_ended', 2);
      expect(leg.all('play_ended').map(({ reason }) => reason)).toEqual(['finished', 'finished']);
    }),
    contractCase('until it is stopped, however often that is asked', [], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p', SOUND, true));
      await driver.harness.elapse(1_000);
      expect(leg.types).toEqual(['answered']);
      leg.send({ type: 'stop_play', playId: 'p' }, { type: 'stop_play', playId: 'p' });
      expect(await leg.waitFor('play_ended')).toMatchObject({ reason: 'stopped', playedMs: near(driver, 1_000) });
    }),
    contractCase('and stops before it began', [], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p'), { type: 'stop_play', playId: 'p' });
      expect(await leg.waitFor('play_ended')).toMatchObject({ reason: 'stopped' });
    }),
    contractCase('one thing at a time: the next stops the one before', [], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p', LONG_SOUND));
      await driver.harness.elapse(50);
      leg.send(play('q'));
      await leg.waitFor('play_ended', 2);
      expect(leg.all('play_ended')).toMatchObject([
        { playId: 'p', reason: 'stopped' },
        { playId: 'q', reason: 'finished' },
      ]);
    }),
    contractCase('the next after a stop, and its late stop harms nothing', [], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p', LONG_SOUND), { type: 'stop_play', playId: 'p' }, play('q'), {
        type: 'stop_play',
        playId: 'p',
      });
      await leg.waitFor('play_ended', 2);
      expect(leg.all('play_ended')).toMatchObject([
        { playId: 'p', reason: 'stopped' },
        { playId: 'q', reason: 'finished' },
      ]);
    }),
    contractCase('what was asked for before the answer, after it', [], async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send(play('p'));
      await driver.harness.elapse(500);
      expect(leg.types).toEqual([]);
      leg.send(answer);
      expect(await leg.waitFor('play_ended')).toMatchObject({ reason: 'finished', playedMs: near(driver, 300) });
    }),
    contractCase('before the answer, as early media', ['early_media'], async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send({ type: 'progress' }, play('p'));
      expect(await leg.waitFor('play_ended')).toMatchObject({ reason: 'finished' });
      leg.send(answer);
      await leg.waitFor('answered');
      expect(leg.types).toEqual(['play_ended', 'answered']);
    }),
    contractCase('and says why it cannot', ['missing_audio'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p', [{ type: 'file', file: driver.harness.missingFile! }]));
      expect(await leg.waitFor('play_ended')).toMatchObject({
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
    contractCase('until the limit', ['record'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(record('r', { maxLengthMs: 400, endSilenceMs: 100 }));
      expect(await leg.waitFor('record_ended')).toMatchObject({
        recordId: 'r',
        reason: 'max_length',
        durationMs: near(driver, 400),
        speechMs: 0,
      });
    }),
    contractCase('until silence after speech', ['record', 'speak'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(record('r', { endSilenceMs: 400 }));
      await driver.harness.elapse(300);
      leg.party.speak(500);
      const ended = await leg.waitFor('record_ended');
      expect(ended).toMatchObject({
        reason: 'end_silence',
        durationMs: near(driver, 1_200),
        speechMs: near(driver, 500),
      });
    }),
    contractCase('until a digit that ends it, which is also told', ['record', 'press'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(record('r', { terminators: '#*' }));
      leg.party.press('1#');
      expect(await leg.waitFor('record_ended')).toMatchObject({ reason: 'terminator' });
      expect(leg.all('digit').map(({ digit }) => digit)).toEqual(['1', '#']);
    }),
    contractCase('until it is stopped, twice', ['record'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(record('r'));
      await driver.harness.elapse(200);
      leg.send({ type: 'stop_record', recordId: 'r' }, { type: 'stop_record', recordId: 'r' });
      expect(await leg.waitFor('record_ended')).toMatchObject({ reason: 'stopped', durationMs: near(driver, 200) });
    }),
    contractCase('one thing at a time', ['record'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(record('r'), record('s', { maxLengthMs: 200 }));
      await leg.waitFor('record_ended', 2);
      expect(leg.all('record_ended')).toMatchObject([
        { recordId: 'r', reason: 'stopped' },
        { recordId: 's', reason: 'max_length' },
      ]);
    }),
    contractCase('its call in the background, beside a message', ['record', 'speak'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(record('call', { background: true, dual: true }));
      await driver.harness.elapse(200);
      leg.send(record('message', { maxLengthMs: 400 }));
      leg.party.speak(300);
      expect(await leg.waitFor('record_ended')).toMatchObject({ recordId: 'message', reason: 'max_length' });
      await driver.harness.elapse(100);
      leg.send({ type: 'stop_record', recordId: 'call' });
      await leg.waitFor('record_ended', 2);
      expect(leg.all('record_ended')[1]).toMatchObject({
        recordId: 'call',
        reason: 'stopped',
        durationMs: near(driver, 700),
        speechMs: near(driver, 300),
      });
    }),
    contractCase('nothing while it is paused, however often that is asked', ['record', 'speak'], async (driver) => {
      const leg = await driver.connectedLeg();
      const pause = (paused: boolean) => leg.send({ type: 'pause_record', recordId: 'r', paused });
      leg.send(record('r', { maxLengthMs: 1_000 }));
      await driver.harness.elapse(300);
      pause(true);
      pause(true);
      leg.party.speak(300);
      await driver.harness.elapse(900);
      pause(false);
      pause(false);
      await driver.harness.elapse(300);
      leg.send({ type: 'stop_record', recordId: 'r' });
      expect(await leg.waitFor('record_ended')).toMatchObject({
        reason: 'stopped',
        durationMs: near(driver, 600),
        speechMs: near(driver, 0),
      });
    }),
    contractCase('silence while what the party says is withheld', ['record', 'speak'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(record('r', { background: true, dual: true }), { type: 'withhold', on: true });
      leg.party.speak(300);
      await driver.harness.elapse(500);
      leg.send({ type: 'withhold', on: false }, { type: 'stop_record', recordId: 'r' });
      expect(await leg.waitFor('record_ended')).toMatchObject({
        durationMs: near(driver, 500),
        speechMs: near(driver, 0),
      });
    }),
  ],
};
