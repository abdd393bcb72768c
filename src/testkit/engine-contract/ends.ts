/** E1 and E2: whatever goes on, by whom and when the call is ended, there is one end, and every answer before it. */
import { expect } from 'vitest';
import type { Case, ContractCase, ContractFeature, ContractTopic, Line } from '../engine-case.ts';
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

type Reach = (contract: Case) => Promise<Line>;

/** A call that is connected, and then asked for this. */
const connectedAnd =
  (...commands: Parameters<Line['send']>): Reach =>
  async (contract) => {
    const line = await contract.connected();
    line.send(...commands);
    return line;
  };

const WHILE: readonly [state: string, needs: readonly ContractFeature[], reach: Reach][] = [
  ['offered', [], (contract) => contract.offered()],
  [
    'ringing',
    [],
    async (contract) => {
      const line = await contract.offered();
      line.send({ type: 'ring' });
      return line;
    },
  ],
  [
    'in early media',
    ['early_media'],
    async (contract) => {
      const line = await contract.offered();
      line.send({ type: 'progress' }, play('p', LONG_SOUND));
      return line;
    },
  ],
  [
    'answered but not acknowledged',
    [],
    async (contract) => {
      const line = await contract.offered();
      line.send(answer);
      return line;
    },
  ],
  ['connected', [], (contract) => contract.connected()],
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
  ['dialling', ['dial_no_answer'], (contract) => contract.dial({ does: 'no_answer', ringsAfterMs: 1000 })],
  [
    'hearing it ring',
    ['dial_no_answer'],
    async (contract) => {
      const line = await contract.dial({ does: 'no_answer' });
      await line.until('ringing');
      return line;
    },
  ],
  [
    'talking to a callee',
    ['dial_answer'],
    async (contract) => {
      const line = await contract.dial({ does: 'answer', afterMs: 50 });
      await line.until('answered');
      line.send(play('p', LONG_SOUND));
      return line;
    },
  ],
];

function endings(state: string, needs: readonly ContractFeature[], reach: Reach, pauseMs: number): ContractCase[] {
  const when = pauseMs === 0 ? `the moment it is ${state}` : `while ${state}`;
  const reached: Reach = async (contract) => {
    const line = await reach(contract);
    await contract.harness.elapse(pauseMs);
    return line;
  };
  const byUs = [
    proves(`hung up by us ${when}`, needs, async (contract) => {
      const line = await reached(contract);
      line.send({ type: 'hangup', cause: 17 });
      expect(await line.until('ended')).toMatchObject({ by: 'near', cause: { code: 17, reason: 'User Busy' } });
    }),
    proves(`hung up twice by us ${when}`, needs, async (contract) => {
      const line = await reached(contract);
      line.send(hangup, hangup);
      await line.until('ended');
    }),
  ];
  // Nobody is there yet who could.
  if (needs.includes('dial_no_answer')) return byUs;
  return [
    ...byUs,
    proves(`hung up by the party ${when}`, needs, async (contract) => {
      const line = await reached(contract);
      line.party.hangUp();
      expect(await line.until('ended')).toMatchObject({ by: 'far' });
    }),
    proves(`hung up by both at once ${when}`, needs, async (contract) => {
      const line = await reached(contract);
      line.party.hangUp();
      line.send(hangup);
      await line.until('ended');
    }),
  ];
}

export const ends: ContractTopic = {
  topic: 'ends exactly once (E1, E2)',
  cases: [
    ...WHILE.flatMap(([state, needs, reach]) => [0, 40].flatMap((pauseMs) => endings(state, needs, reach, pauseMs))),

    proves('answers what was running before it ends', ['record', 'send_digits'], async (contract) => {
      const line = await contract.connected();
      line.send(play('p', LONG_SOUND), record('r'), sendDigits('s', '123456789'));
      await contract.harness.elapse(100);
      line.party.hangUp();
      await line.until('ended');
      expect(line.all('play_ended')).toMatchObject([{ playId: 'p', reason: 'stopped' }]);
      expect(line.all('record_ended')).toMatchObject([{ recordId: 'r', reason: 'hangup' }]);
      expect(line.all('digits_sent')).toMatchObject([{ sendId: 's' }]);
    }),

    proves('answers who listened, too', ['listen', 'detect_machine'], async (contract) => {
      const line = await contract.connected();
      line.send(listen('l'), listen('t', { continuous: true, hints: [] }), detect('d'));
      await contract.harness.elapse(100);
      line.party.hangUp();
      await line.until('ended');
      expect(line.all('listen_ended')).toHaveLength(2);
      expect(line.all('machine_detected')).toMatchObject([{ detectId: 'd', result: 'stopped' }]);
    }),
  ],
};
