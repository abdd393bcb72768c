/** Listening: for words, for machines. */
import { expect } from 'vitest';
import type { ContractTopic } from '../engine-case.ts';
import { detect, LONG_SOUND, listen, play, proves } from '../engine-case.ts';

export const listens: ContractTopic = {
  topic: 'listens',
  cases: [
    proves('in vain, until its time is over', ['listen'], async (contract) => {
      const line = await contract.connected();
      line.send(listen('l', { maxLengthMs: 400 }));
      expect(await line.until('listen_ended')).toEqual({ type: 'listen_ended', listenId: 'l', reason: 'no_input' });
    }),
    proves(
      'for words that it expects: told when they begin, and what they were',
      ['listen', 'say'],
      async (contract) => {
        const line = await contract.connected();
        line.send(listen('l'));
        line.party.say('billing');
        const ended = await line.until('listen_ended');
        expect(ended).toMatchObject({ listenId: 'l', reason: 'recognized', text: 'billing' });
        expect(ended.confidence).toBeGreaterThanOrEqual(0.3);
        expect(ended.confidence).toBeLessThanOrEqual(1);
        expect(line.types).toEqual(['answered', 'speech_started', 'listen_ended']);
      },
    ),
    proves('and does not take one thing for another', ['listen', 'say'], async (contract) => {
      const line = await contract.connected();
      line.send(listen('l', { hints: ['agent'] }));
      line.party.say('elephants everywhere');
      expect(await line.until('listen_ended')).toMatchObject({ reason: 'no_match' });
      expect(line.all('speech_started')).toHaveLength(1);
    }),
    proves('while it plays, and plays on until told otherwise', ['listen', 'say'], async (contract) => {
      const line = await contract.connected();
      line.send(play('p', LONG_SOUND), listen('l'));
      line.party.say('agent');
      expect(await line.until('listen_ended')).toMatchObject({ reason: 'recognized', text: 'agent' });
      expect(line.types).not.toContain('play_ended');
    }),
    proves('until it is stopped, twice', ['listen'], async (contract) => {
      const line = await contract.connected();
      line.send(listen('l'));
      await contract.harness.elapse(50);
      line.send({ type: 'stop_listen', listenId: 'l' }, { type: 'stop_listen', listenId: 'l' });
      expect(await line.until('listen_ended')).toMatchObject({ listenId: 'l', reason: 'stopped' });
    }),
    proves('one thing at a time, and a transcript beside it', ['listen'], async (contract) => {
      const line = await contract.connected();
      line.send(listen('t', { continuous: true, hints: [] }), listen('l'), listen('m', { maxLengthMs: 300 }));
      await line.until('listen_ended', 2);
      expect(line.all('listen_ended')).toMatchObject([
        { listenId: 'l', reason: 'stopped' },
        { listenId: 'm', reason: 'no_input' },
      ]);
      line.send({ type: 'stop_listen', listenId: 't' });
      expect(await line.until('listen_ended', 3)).toMatchObject({ listenId: 't', reason: 'stopped' });
    }),
    proves('to one utterance after the other', ['listen', 'say'], async (contract) => {
      const line = await contract.connected();
      line.send(listen('t', { continuous: true }));
      line.party.say('billing');
      await line.until('utterance');
      line.party.say('agent');
      await line.until('utterance', 2);
      expect(line.all('utterance').map(({ text }) => text)).toEqual(['billing', 'agent']);
      const [one, other] = line.all('utterance');
      expect(one!.fromMs).toBeGreaterThanOrEqual(0);
      expect(other!.fromMs).toBeGreaterThanOrEqual(one!.toMs);
      expect(line.types).not.toContain('listen_ended');
    }),
    proves('before the answer, from the answer on', ['listen'], async (contract) => {
      const line = await contract.offered();
      line.send(listen('l', { maxLengthMs: 300 }), { type: 'answer' });
      expect(await line.until('listen_ended')).toMatchObject({ reason: 'no_input' });
      expect(line.types).toEqual(['answered', 'listen_ended']);
    }),
  ],
};

export const detections: ContractTopic = {
  topic: 'tells people from machines',
  cases: [
    proves('a person says hello', ['detect_machine', 'answerer'], async (contract) => {
      const line = await contract.dial({ does: 'answer', who: { is: 'human' } });
      await line.until('answered');
      line.send(detect('d'));
      expect(await line.until('machine_detected')).toMatchObject({ detectId: 'd', result: 'human' });
    }),
    proves('a machine speaks on', ['detect_machine', 'answerer'], async (contract) => {
      const line = await contract.dial({ does: 'answer', who: { is: 'machine', greetingMs: 4_000 } });
      await line.until('answered');
      line.send(detect('d'));
      expect(await line.until('machine_detected')).toMatchObject({ detectId: 'd', result: 'machine' });
    }),
    proves('a machine beeps', ['detect_machine', 'answerer'], async (contract) => {
      const plan = { does: 'answer', who: { is: 'machine', greetingMs: 3_000, beepAfterMs: 300 } } as const;
      const line = await contract.dial(plan);
      await line.until('answered');
      line.send(detect('d', 5_000, 5_000));
      const { result, afterMs } = await line.until('machine_detected');
      expect(result).toBe('beep');
      expect(afterMs).toBeGreaterThan(3_000);
    }),
    proves('a machine that never beeps', ['detect_machine', 'answerer'], async (contract) => {
      const line = await contract.dial({ does: 'answer', who: { is: 'machine', greetingMs: 2_600 } });
      await line.until('answered');
      line.send(detect('d', 5_000, 1_500));
      expect(await line.until('machine_detected')).toMatchObject({ result: 'machine' });
    }),
    proves('a fax', ['detect_machine', 'answerer'], async (contract) => {
      const line = await contract.dial({ does: 'answer', who: { is: 'fax' } });
      await line.until('answered');
      line.send(detect('d'));
      expect(await line.until('machine_detected')).toMatchObject({ result: 'fax' });
    }),
    proves('nothing at all', ['detect_machine'], async (contract) => {
      const line = await contract.connected();
      line.send(detect('d', 400));
      expect(await line.until('machine_detected')).toMatchObject({ detectId: 'd', result: 'unknown' });
    }),
    proves('until it is stopped, twice', ['detect_machine'], async (contract) => {
      const line = await contract.connected();
      line.send(detect('d'));
      await contract.harness.elapse(50);
      line.send({ type: 'stop_detect', detectId: 'd' }, { type: 'stop_detect', detectId: 'd' });
      expect(await line.until('machine_detected')).toMatchObject({ detectId: 'd', result: 'stopped' });
    }),
    proves('one at a time', ['detect_machine'], async (contract) => {
      const line = await contract.connected();
      line.send(detect('d'), detect('e', 200));
      await line.until('machine_detected', 2);
      expect(line.all('machine_detected')).toMatchObject([
        { detectId: 'd', result: 'stopped' },
        { detectId: 'e', result: 'unknown' },
      ]);
    }),
  ],
};
