/** Digits, in both directions. */
import { expect } from 'vitest';
import type { ContractTopic } from '../engine-case.ts';
import { LONG_SOUND, play, proves, sendDigits } from '../engine-case.ts';

export const digitsIn: ContractTopic = {
  topic: 'hears digits',
  cases: [
    proves('each once, in order, the same one twice', ['press'], async (contract) => {
      const line = await contract.connected();
      line.party.press('1122#*0');
      await line.until('digit', 7);
      await contract.harness.elapse(500);
      expect(
        line
          .all('digit')
          .map(({ digit }) => digit)
          .join(''),
      ).toBe('1122#*0');
      expect(line.all('digit').every(({ durationMs }) => durationMs > 0)).toBe(true);
    }),
    proves('while it plays, and plays on until told otherwise', ['press'], async (contract) => {
      const line = await contract.connected();
      line.send(play('p', LONG_SOUND));
      line.party.press('5');
      await line.until('digit');
      expect(line.types).not.toContain('play_ended');
      line.send({ type: 'stop_play', playId: 'p' });
      expect(await line.until('play_ended')).toMatchObject({ reason: 'stopped' });
    }),
    proves('of a party that we called', ['press', 'dial_answer'], async (contract) => {
      const line = await contract.dial({ does: 'answer' });
      await line.until('answered');
      line.party.press('42');
      await line.until('digit', 2);
    }),
  ],
};

export const digitsOut: ContractTopic = {
  topic: 'sends digits',
  cases: [
    proves('all of them, then says so', ['send_digits'], async (contract) => {
      const line = await contract.connected();
      line.send(sendDigits('s', '1w9#'));
      await line.until('digits_sent');
      await contract.harness.elapse(100);
      expect(line.party.received).toBe('19#');
    }),
    proves('one string after the other', ['send_digits'], async (contract) => {
      const line = await contract.connected();
      line.send(sendDigits('s', '12'), sendDigits('t', ''), sendDigits('u', '3'));
      await line.until('digits_sent', 3);
      await contract.harness.elapse(100);
      expect(line.all('digits_sent').map(({ sendId }) => sendId)).toEqual(['s', 't', 'u']);
      expect(line.party.received).toBe('123');
    }),
  ],
};
