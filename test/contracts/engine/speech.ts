/** Listening: for words, for machines. */
import { expect } from 'vitest';
import type { ContractTopic } from './engine-case.ts';
import { contractCase, detect, LONG_SOUND, listen, play } from './engine-case.ts';

export const listens: ContractTopic = {
  topic: 'listens',
  cases: [
    contractCase('in vain, until its time is over', ['listen'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(listen('l', { maxLengthMs: 400 }));
      expect(await leg.waitFor('listen_ended')).toEqual({ type: 'listen_ended', listenId: 'l', reason: 'no_input' });
    }),
    contractCase(
      'for words that it expects: told when they begin, and what they were',
      ['listen', 'say'],
      async (driver) => {
        const leg = await driver.connectedLeg();
        leg.send(listen('l'));
        leg.party.say('billing');
        const ended = await leg.waitFor('listen_ended');
        expect(ended).toMatchObject({ listenId: 'l', reason: 'recognized', text: 'billing' });
        expect(ended.confidence).toBeGreaterThanOrEqual(0.3);
        expect(ended.confidence).toBeLessThanOrEqual(1);
        expect(leg.types).toEqual(['answered', 'speech_started', 'listen_ended']);
      },
    ),
    contractCase('and does not take one thing for another', ['listen', 'say'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(listen('l', { hints: ['agent'] }));
      leg.party.say('elephants everywhere');
      expect(await leg.waitFor('listen_ended')).toMatchObject({ reason: 'no_match' });
      expect(leg.all('speech_started')).toHaveLength(1);
    }),
    contractCase('while it plays, and plays on until told otherwise', ['listen', 'say'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p', LONG_SOUND), listen('l'));
      leg.party.say('agent');
      expect(await leg.waitFor('listen_ended')).toMatchObject({ reason: 'recognized', text: 'agent' });
      expect(leg.types).not.toContain('play_ended');
    }),
    contractCase('until it is stopped, twice', ['listen'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(listen('l'));
      await driver.harness.elapse(50);
      leg.send({ type: 'stop_listen', listenId: 'l' }, { type: 'stop_listen', listenId: 'l' });
      expect(await leg.waitFor('listen_ended')).toMatchObject({ listenId: 'l', reason: 'stopped' });
    }),
    contractCase('one thing at a time, and a transcript beside it', ['listen'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(listen('t', { continuous: true, hints: [] }), listen('l'), listen('m', { maxLengthMs: 300 }));
      await leg.waitFor('listen_ended', 2);
      expect(leg.all('listen_ended')).toMatchObject([
        { listenId: 'l', reason: 'stopped' },
        { listenId: 'm', reason: 'no_input' },
      ]);
      leg.send({ type: 'stop_listen', listenId: 't' });
      expect(await leg.waitFor('listen_ended', 3)).toMatchObject({ listenId: 't', reason: 'stopped' });
    }),
    contractCase('to one utterance after the other', ['listen', 'say'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(listen('t', { continuous: true }));
      leg.party.say('billing');
      await leg.waitFor('utterance');
      leg.party.say('agent');
      await leg.waitFor('utterance', 2);
      expect(leg.all('utterance').map(({ text }) => text)).toEqual(['billing', 'agent']);
      const [one, other] = leg.all('utterance');
      expect(one!.fromMs).toBeGreaterThanOrEqual(0);
      expect(other!.fromMs).toBeGreaterThanOrEqual(one!.toMs);
      expect(leg.types).not.toContain('listen_ended');
    }),
    contractCase('before the answer, from the answer on', ['listen'], async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send(listen('l', { maxLengthMs: 300 }), { type: 'answer' });
      expect(await leg.waitFor('listen_ended')).toMatchObject({ reason: 'no_input' });
      expect(leg.types).toEqual(['answered', 'listen_ended']);
    }),
  ],
};

export const detections: ContractTopic = {
  topic: 'tells people from machines',
  cases: [
    contractCase('a person says hello', ['detect_machine', 'answerer'], async (driver) => {
      const leg = await driver.dial({ does: 'answer', who: { is: 'human' } });
      await leg.waitFor('answered');
      leg.send(detect('d'));
      expect(await leg.waitFor('machine_detected')).toMatchObject({ detectId: 'd', result: 'human' });
    }),
    contractCase('a machine speaks on', ['detect_machine', 'answerer'], async (driver) => {
      const leg = await driver.dial({ does: 'answer', who: { is: 'machine', greetingMs: 4_000 } });
      await leg.waitFor('answered');
      leg.send(detect('d'));
      expect(await leg.waitFor('machine_detected')).toMatchObject({ detectId: 'd', result: 'machine' });
    }),
    contractCase('a machine beeps', ['detect_machine', 'answerer'], async (driver) => {
      const plan = { does: 'answer', who: { is: 'machine', greetingMs: 3_000, beepAfterMs: 300 } } as const;
      const leg = await driver.dial(plan);
      await leg.waitFor('answered');
      leg.send(detect('d', 5_000, 5_000));
      const { result, afterMs } = await leg.waitFor('machine_detected');
      expect(result).toBe('beep');
      expect(afterMs).toBeGreaterThan(3_000);
    }),
    contractCase('a machine that never beeps', ['detect_machine', 'answerer'], async (driver) => {
      const leg = await driver.dial({ does: 'answer', who: { is: 'machine', greetingMs: 2_600 } });
      await leg.waitFor('answered');
      leg.send(detect('d', 5_000, 1_500));
      expect(await leg.waitFor('machine_detected')).toMatchObject({ result: 'machine' });
    }),
    contractCase('a fax', ['detect_machine', 'answerer'], async (driver) => {
      const leg = await driver.dial({ does: 'answer', who: { is: 'fax' } });
      await leg.waitFor('answered');
      leg.send(detect('d'));
      expect(await leg.waitFor('machine_detected')).toMatchObject({ result: 'fax' });
    }),
    contractCase('nothing at all', ['detect_machine'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(detect('d', 400));
      expect(await leg.waitFor('machine_detected')).toMatchObject({ detectId: 'd', result: 'unknown' });
    }),
    contractCase('until it is stopped, twice', ['detect_machine'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(detect('d'));
      await driver.harness.elapse(50);
      leg.send({ type: 'stop_detect', detectId: 'd' }, { type: 'stop_detect', detectId: 'd' });
      expect(await leg.waitFor('machine_detected')).toMatchObject({ detectId: 'd', result: 'stopped' });
    }),
    contractCase('one at a time', ['detect_machine'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(detect('d'), detect('e', 200));
      await leg.waitFor('machine_detected', 2);
      expect(leg.all('machine_detected')).toMatchObject([
        { detectId: 'd', result: 'stopped' },
        { detectId: 'e', result: 'unknown' },
      ]);
    }),
  ],
};
