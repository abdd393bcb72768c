/**
 * E1 and E2: each call has one end, and every answer precedes it, whatever is active, and whoever ends the call at any
 * time.
 */
import { expect } from 'vitest';
import type { ContractCase, ContractFeature, ContractLeg, ContractTopic, EngineDriver } from './engine-case.ts';
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

type Reach = (driver: EngineDriver) => Promise<ContractLeg>;

/** A call that is connected, and then asked for this. */
const connectedAnd =
  (...commands: Parameters<ContractLeg['send']>): Reach =>
  async (driver) => {
    const leg = await driver.connectedLeg();
    leg.send(...commands);
    return leg;
  };

const WHILE: readonly [state: string, needs: readonly ContractFeature[], reach: Reach][] = [
  ['offered', [], (driver) => driver.offeredLeg()],
  [
    'ringing',
    [],
    async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send({ type: 'ring' });
      return leg;
    },
  ],
  [
    'in early media',
    ['early_media'],
    async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send({ type: 'progress' }, play('p', LONG_SOUND));
      return leg;
    },
  ],
  [
    'answered but not acknowledged',
    [],
    async (driver) => {
      const leg = await driver.offeredLeg();
      leg.send(answer);
      return leg;
    },
  ],
  ['connected', [], (driver) => driver.connectedLeg()],
  ['playing', [], connectedAnd(play('p', LONG_SOUND))],
  ['playing for ever', [], connectedAnd(play('p', SOUND, true))],
  ['recording', ['record'], connectedAnd(record('r'))],
  [
    'recording its call, paused',
    ['record'],
    connectedAnd(record('r', { background: true, dual: true }), { type: 'pause_record', recordId: 'r', paused: true }),
  ],
  ['sending digits', ['send_digits'], connectedAnd(sendDigits('s1', '123456789'), sendDigits('s2', '123456789'))],
  ['in a mix', ['mix'], connectedAnd(join('m'))],
  ['held', ['mix'], connectedAnd(join('m'), { type: 'hold', music: SOUND })],
  ['taken back from a hold', ['mix'], connectedAnd({ type: 'hold', music: SOUND }, { type: 'resume' })],
  ['streamed', ['stream'], connectedAnd(stream('s'))],
  ['listened to', ['listen'], connectedAnd(listen('l'), listen('t', { continuous: true, hints: [] }))],
  ['examined for a machine', ['detect_machine'], connectedAnd(detect('d'))],
  ['asked to call somebody else', ['refer'], connectedAnd(refer('f'))],
  [
    'doing everything at once',
    ['record', 'send_digits', 'mix', 'stream', 'listen', 'detect_machine'],
    connectedAnd(
      play('x', LONG_SOUND),
      record('x'),
      sendDigits('x', '123456789'),
      join('x'),
      { type: 'hold', music: SOUND },
      stream('x'),
      listen('x'),
      detect('x'),
    ),
  ],
  ['dialling', ['dial_no_answer'], (driver) => driver.dial({ does: 'no_answer', ringsAfterMs: 1000 })],
  [
    'hearing it ring',
    ['dial_no_answer'],
    async (driver) => {
      const leg = await driver.dial({ does: 'no_answer' });
      await leg.waitFor('ringing');
      return leg;
    },
  ],
  [
    'talking to a callee',
    ['dial_answer'],
    async (driver) => {
      const leg = await driver.dial({ does: 'answer', afterMs: 50 });
      await leg.waitFor('answered');
      leg.send(play('p', LONG_SOUND));
      return leg;
    },
  ],
];

function endings(state: string, needs: readonly ContractFeature[], reach: Reach, pauseMs: number): ContractCase[] {
  const when = pauseMs === 0 ? `the moment it is ${state}` : `while ${state}`;
  const reached: Reach = async (driver) => {
    const leg = await reach(driver);
    await driver.harness.elapse(pauseMs);
    return leg;
  };
  const byUs = [
    contractCase(`hung up by us ${when}`, needs, async (driver) => {
      const leg = await reached(driver);
      leg.send({ type: 'hangup', cause: 17 });
      expect(await leg.waitFor('ended')).toMatchObject({ by: 'near', cause: { code: 17, reason: 'User Busy' } });
    }),
    contractCase(`hung up twice by us ${when}`, needs, async (driver) => {
      const leg = await reached(driver);
      leg.send(hangup, hangup);
      await leg.waitFor('ended');
    }),
  ];
  // No party exists yet that could.
  if (needs.includes('dial_no_answer')) return byUs;
  return [
    ...byUs,
    contractCase(`hung up by the party ${when}`, needs, async (driver) => {
      const leg = await reached(driver);
      leg.party.hangUp();
      expect(await leg.waitFor('ended')).toMatchObject({ by: 'far' });
    }),
    contractCase(`hung up by both at once ${when}`, needs, async (driver) => {
      const leg = await reached(driver);
      leg.party.hangUp();
      leg.send(hangup);
      await leg.waitFor('ended');
    }),
  ];
}

export const ends: ContractTopic = {
  topic: 'ends exactly once (E1, E2)',
  cases: [
    ...WHILE.flatMap(([state, needs, reach]) => [0, 40].flatMap((pauseMs) => endings(state, needs, reach, pauseMs))),

    contractCase('answers what was running before it ends', ['record', 'send_digits'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(play('p', LONG_SOUND), record('r'), sendDigits('s', '123456789'));
      await driver.harness.elapse(100);
      leg.party.hangUp();
      await leg.waitFor('ended');
      expect(leg.all('play_ended')).toMatchObject([{ playId: 'p', reason: 'stopped' }]);
      expect(leg.all('record_ended')).toMatchObject([{ recordId: 'r', reason: 'hangup' }]);
      expect(leg.all('digits_sent')).toMatchObject([{ sendId: 's' }]);
    }),

    contractCase('answers who listened, too', ['listen', 'detect_machine'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(listen('l'), listen('t', { continuous: true, hints: [] }), detect('d'));
      await driver.harness.elapse(100);
      leg.party.hangUp();
      await leg.waitFor('ended');
      expect(leg.all('listen_ended')).toHaveLength(2);
      expect(leg.all('machine_detected')).toMatchObject([{ detectId: 'd', result: 'stopped' }]);
    }),
  ],
};
