/** Outgoing calls. */
import { expect } from 'vitest';
import type { CalleePlan } from '../../../src/media/telephony/simulated/far-end.ts';
import type { ContractLeg, ContractTopic } from './engine-case.ts';
import { contractCase, near, play } from './engine-case.ts';

/** Plan of the callee, and the Q.850 causes that may result. */
const REFUSALS: readonly [plan: CalleePlan, causes: readonly number[]][] = [
  [{ does: 'busy' }, [17]],
  [{ does: 'declined', afterMs: 100 }, [21]],
  [{ does: 'unreachable' }, [1, 3, 20, 27, 41, 102]],
  [{ does: 'fail', sipStatus: 404 }, [1]],
];

export const dials: ContractTopic = {
  topic: 'dials',
  cases: [
    contractCase('a party that rings, answers and hangs up', ['dial_answer'], async (driver) => {
      const leg = await driver.dial({ does: 'answer', afterMs: 200, talkMs: 200 });
      expect(await leg.waitFor('ended')).toMatchObject({ by: 'far', cause: { code: 16 } });
      expect(leg.types).toEqual(['ringing', 'answered', 'ended']);
    }),
    ...REFUSALS.map(([plan, causes]) =>
      contractCase(`a party that is ${plan.does}`, [`dial_${plan.does}`], async (driver) => {
        const leg = await driver.dial(plan);
        const { cause } = await leg.waitFor('ended');
        expect(causes).toContain(cause.code);
        expect(leg.types).not.toContain('answered');
      }),
    ),
    contractCase('in vain: the time to ring is over', ['dial_no_answer'], async (driver) => {
      const leg = await driver.dial({ does: 'no_answer' }, { ringTimeoutMs: 500 });
      expect(await leg.waitFor('ended')).toMatchObject({ cause: { code: 19, reason: 'No Answer' } });
      expect(leg.types).toEqual(['ringing', 'ended']);
    }),
    contractCase('and plays what was asked for before the answer, after it', ['dial_answer'], async (driver) => {
      const leg = await driver.dial({ does: 'answer', afterMs: 300 });
      leg.send(play('p'));
      expect(await leg.waitFor('play_ended')).toMatchObject({ reason: 'finished', playedMs: near(driver, 300) });
      expect(leg.types).toEqual(['ringing', 'answered', 'play_ended']);
    }),
    contractCase('a party that is heard before it answers', ['dial_answer', 'callee_early_media'], async (driver) => {
      const leg = await driver.dial({ does: 'answer', earlyMediaAfterMs: 100, afterMs: 400 });
      await leg.waitFor('answered');
      expect(leg.types).toEqual(['ringing', 'early_media', 'answered']);
    }),
    contractCase('in vain, given up the moment the party may answer', ['dial_answer'], async (driver) => {
      const leg = await driver.dial({ does: 'answer', afterMs: 300 });
      await driver.harness.elapse(300);
      leg.send({ type: 'hangup', cause: 16 });
      await leg.waitFor('ended');
    }),
    contractCase('many at once', ['dial_answer', 'dial_busy'], async (driver) => {
      const lines: ContractLeg[] = [];
      for (let n = 0; n < 5; n++) {
        lines.push(await driver.dial({ does: 'answer', talkMs: 100 * n }), await driver.dial({ does: 'busy' }));
      }
      for (const [index, leg] of lines.entries()) {
        expect((await leg.waitFor('ended')).cause.code).toBe(index % 2 === 0 ? 16 : 17);
      }
    }),
  ],
};
