/** Digits, in both directions. */
import { expect } from 'vitest';
import type { ContractTopic } from './engine-case.ts';
import { contractCase, LONG_SOUND, play, sendDigits } from './engine-case.ts';

export const digitsIn: ContractTopic = {
  topic: 'hears digits',
  cases: [
    contractCase('each once, in order, the same one twice', ['press'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.party.press('1122#*0');
      await leg.waitFor('digit', 7);
      await driver.harness.elapse(500);
      expect(
        leg
          .all('digit')
          .map(({ digit }) => digit)
          .join(''),
      ).toBe('1122#*0');
      expect(leg.all('digit').every(({ durationMs }) => durationMs > 0)).toBe(true);
    }),
    contractCase('while it plays, and plays on until told otherwise', ['press'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p', LONG_SOUND));
      leg.party.press('5');
      await leg.waitFor('digit');
      expect(leg.types).not.toContain('play_ended');
      leg.send({ type: 'stop_play', playId: 'p' });
      expect(await leg.waitFor('play_ended')).toMatchObject({ reason: 'stopped' });
    }),
    contractCase('of a party that we called', ['press', 'dial_answer'], async (driver) => {
      const leg = await driver.dial({ does: 'answer' });
      await leg.waitFor('answered');
      leg.party.press('42');
      await leg.waitFor('digit', 2);
    }),
  ],
};

export const digitsOut: ContractTopic = {
  topic: 'sends digits',
  cases: [
    contractCase('all of them, then says so', ['send_digits'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(sendDigits('s', '1w9#'));
      await leg.waitFor('digits_sent');
      await driver.harness.elapse(100);
      expect(leg.party.received).toBe('19#');
    }),
    contractCase('one string after the other', ['send_digits'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(sendDigits('s', '12'), sendDigits('t', ''), sendDigits('u', '3'));
      await leg.waitFor('digits_sent', 3);
      await driver.harness.elapse(100);
      expect(leg.all('digits_sent').map(({ sendId }) => sendId)).toEqual(['s', 't', 'u']);
      expect(leg.party.received).toBe('123');
    }),
  ],
};
