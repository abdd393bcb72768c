/** Calls that we place. */
import { expect } from 'vitest';
import type { CalleePlan } from '../../telephony/simulated/far-end.ts';
import type { ContractTopic, Line } from '../engine-case.ts';
import { near, play, proves } from '../engine-case.ts';

/** What the callee does, and the Q.850 causes that this may come to. */
const REFUSALS: readonly [plan: CalleePlan, causes: readonly number[]][] = [
  [{ does: 'busy' }, [17]],
  [{ does: 'declined', afterMs: 100 }, [21]],
  [{ does: 'unreachable' }, [1, 3, 20, 27, 41, 102]],
  [{ does: 'fail', sipStatus: 404 }, [1]],
];

export const dials: ContractTopic = {
  topic: 'dials',
  cases: [
    proves('a party that rings, answers and hangs up', ['dial_answer'], async (contract) => {
      const line = await contract.dial({ does: 'answer', afterMs: 200, talkMs: 200 });
      expect(await line.until('ended')).toMatchObject({ by: 'far', cause: { code: 16 } });
      expect(line.types).toEqual(['ringing', 'answered', 'ended']);
    }),
    ...REFUSALS.map(([plan, causes]) =>
      proves(`a party that is ${plan.does}`, [`dial_${plan.does}`], async (contract) => {
        const line = await contract.dial(plan);
        const { cause } = await line.until('ended');
        expect(causes).toContain(cause.code);
        expect(line.types).not.toContain('answered');
      }),
    ),
    proves('in vain: the time to ring is over', ['dial_no_answer'], async (contract) => {
      const line = await contract.dial({ does: 'no_answer' }, 500);
      expect(await line.until('ended')).toMatchObject({ cause: { code: 19, reason: 'No Answer' } });
      expect(line.types).toEqual(['ringing', 'ended']);
    }),
    proves('and plays what was asked for before the answer, after it', ['dial_answer'], async (contract) => {
      const line = await contract.dial({ does: 'answer', afterMs: 300 });
      line.send(play('p'));
      expect(await line.until('play_ended')).toMatchObject({ reason: 'finished', playedMs: near(contract, 300) });
      expect(line.types).toEqual(['ringing', 'answered', 'play_ended']);
    }),
    proves('a party that is heard before it answers', ['dial_answer', 'callee_early_media'], async (contract) => {
      const line = await contract.dial({ does: 'answer', earlyMediaAfterMs: 100, afterMs: 400 });
      await line.until('answered');
      expect(line.types).toEqual(['ringing', 'early_media', 'answered']);
    }),
    proves('in vain, given up the moment the party may answer', ['dial_answer'], async (contract) => {
      const line = await contract.dial({ does: 'answer', afterMs: 300 });
      await contract.harness.elapse(300);
      line.send({ type: 'hangup', cause: 16 });
      await line.until('ended');
    }),
    proves('many at once', ['dial_answer', 'dial_busy'], async (contract) => {
      const lines: Line[] = [];
      for (let n = 0; n < 5; n++) {
        lines.push(await contract.dial({ does: 'answer', talkMs: 100 * n }), await contract.dial({ does: 'busy' }));
      }
      for (const [index, line] of lines.entries()) {
        expect((await line.until('ended')).cause.code).toBe(index % 2 === 0 ? 16 : 17);
      }
    }),
  ],
};
