/** Audio between parties: mixes, holds, and far ends that put the call on hold. */
import { expect } from 'vitest';
import type { ContractFeature, ContractLeg, ContractTopic, EngineDriver } from './engine-case.ts';
import { contractCase, hangup, join, LONG_SOUND, near, play, SOUND } from './engine-case.ts';

const HEARING: readonly ContractFeature[] = ['mix', 'speak', 'hear'];
const SPEECH_MS = 300;

async function connected(driver: EngineDriver, count: number): Promise<ContractLeg[]> {
  const lines: ContractLeg[] = [];
  while (lines.length < count) lines.push(await driver.connectedLeg());
  return lines;
}

/** How long each of `lines` hears sound while this one speaks. */
async function heardWhile(
  driver: EngineDriver,
  speaker: ContractLeg,
  lines: readonly ContractLeg[],
): Promise<number[]> {
  const before = lines.map(({ party }) => party.heardMs);
  speaker.party.speak(SPEECH_MS);
  await driver.harness.elapse(SPEECH_MS + 300);
  return lines.map(({ party }, at) => party.heardMs - before[at]!);
}

/** Expects that exactly the lines with these indexes hear the speaker. */
async function isHeardBy(
  driver: EngineDriver,
  speaker: ContractLeg,
  lines: readonly ContractLeg[],
  places: readonly number[],
) {
  const expected = lines.map((_, at) => near(driver, places.includes(at) ? SPEECH_MS : 0));
  expect(await heardWhile(driver, speaker, lines)).toEqual(expected);
}

export const mixes: ContractTopic = {
  topic: 'mixes',
  cases: [
    contractCase('those who joined hear each other, others and themselves not', HEARING, async (driver) => {
      const lines = await connected(driver, 4);
      for (const [at, leg] of lines.entries()) leg.send(join(at < 3 ? 'one' : 'other'));
      await isHeardBy(driver, lines[0]!, lines, [1, 2]);
      await isHeardBy(driver, lines[2]!, lines, [0, 1]);
      await isHeardBy(driver, lines[3]!, lines, []);
    }),
    contractCase('whoever leaves, joins another or hangs up is not heard any more', HEARING, async (driver) => {
      const lines = await connected(driver, 3);
      for (const leg of lines) leg.send(join('m'));
      lines[0]!.send({ type: 'leave' });
      await isHeardBy(driver, lines[0]!, lines, []);
      await isHeardBy(driver, lines[1]!, lines, [2]);
      lines[0]!.send(join('m'), join('elsewhere'), { type: 'leave' }, join('m'));
      await isHeardBy(driver, lines[0]!, lines, [1, 2]);
      lines[2]!.send(hangup);
      await lines[2]!.waitFor('ended');
      await isHeardBy(driver, lines[1]!, lines, [0]);
    }),
    contractCase('whoever is muted hears and is not heard', HEARING, async (driver) => {
      const lines = await connected(driver, 2);
      lines[0]!.send(join('m', true));
      lines[1]!.send(join('m'));
      await isHeardBy(driver, lines[0]!, lines, []);
      await isHeardBy(driver, lines[1]!, lines, [0]);
      lines[0]!.send({ type: 'mute', muted: false });
      await isHeardBy(driver, lines[0]!, lines, [1]);
      lines[0]!.send({ type: 'mute', muted: true });
      await isHeardBy(driver, lines[0]!, lines, []);
    }),
    contractCase('a play is heard instead of the others, by its party alone', HEARING, async (driver) => {
      const lines = await connected(driver, 2);
      for (const leg of lines) leg.send(join('m'));
      lines[0]!.send(play('p', LONG_SOUND));
      await isHeardBy(driver, lines[1]!, lines, []);
      await isHeardBy(driver, lines[0]!, lines, [1]);
      lines[0]!.send({ type: 'stop_play', playId: 'p' });
      await lines[0]!.waitFor('play_ended');
      await isHeardBy(driver, lines[1]!, lines, [0]);
    }),
    contractCase('what was asked for before the answer, after it', [...HEARING, 'dial_answer'], async (driver) => {
      const caller = await driver.connectedLeg();
      const callee = await driver.dial({ does: 'answer', afterMs: 200 });
      caller.send(join('m'));
      callee.send(join('m'));
      await callee.waitFor('answered');
      await isHeardBy(driver, caller, [caller, callee], [1]);
      await isHeardBy(driver, callee, [caller, callee], [0]);
    }),
    contractCase(
      'a callee is heard before it answers',
      [...HEARING, 'dial_answer', 'callee_early_media'],
      async (driver) => {
        const caller = await driver.connectedLeg();
        const callee = await driver.dial({ does: 'answer', earlyMediaAfterMs: 0, afterMs: 4_000 });
        caller.send(join('m'));
        callee.send(join('m'));
        await callee.waitFor('early_media');
        await isHeardBy(driver, callee, [caller], [0]);
      },
    ),
    contractCase('many in one, in and out', ['mix'], async (driver) => {
      const lines = await connected(driver, 6);
      for (let round = 0; round < 4; round++) {
        for (const [at, leg] of lines.entries()) leg.send((at + round) % 3 === 0 ? { type: 'leave' } : join('m'));
        await driver.harness.elapse(20);
      }
      for (const leg of lines) expect(leg.types).toEqual(['answered']);
    }),
  ],
};

const music = [{ type: 'tone', frequencyHz: 440, durationMs: 100 } as const];

export const holds: ContractTopic = {
  topic: 'holds',
  cases: [
    contractCase('with music, until it is taken back', ['mix', 'hear'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send({ type: 'hold', music });
      await driver.harness.elapse(600);
      const heardMs = leg.party.heardMs;
      expect(heardMs).toBeGreaterThan(300);
      leg.send({ type: 'resume' });
      await driver.harness.elapse(200);
      const afterwardsMs = leg.party.heardMs;
      await driver.harness.elapse(400);
      expect(leg.party.heardMs).toBe(afterwardsMs);
      expect(leg.types).toEqual(['answered']);
    }),
    contractCase('whoever is held is out of its mix, and in it again afterwards', HEARING, async (driver) => {
      const lines = await connected(driver, 2);
      for (const leg of lines) leg.send(join('m'));
      lines[0]!.send({ type: 'hold', music: [] });
      await driver.harness.elapse(100);
      await isHeardBy(driver, lines[0]!, lines, []);
      await isHeardBy(driver, lines[1]!, lines, []);
      lines[0]!.send({ type: 'resume' });
      await driver.harness.elapse(100);
      await isHeardBy(driver, lines[0]!, lines, [1]);
      await isHeardBy(driver, lines[1]!, lines, [0]);
    }),
    contractCase('a play is heard instead of the music', ['mix', 'hear'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send({ type: 'hold', music }, play('p', [{ type: 'silence', durationMs: 500 }]));
      await driver.harness.elapse(400);
      const duringMs = leg.party.heardMs;
      expect(await leg.waitFor('play_ended')).toMatchObject({ reason: 'finished' });
      expect(duringMs).toEqual(near(driver, 0));
      await driver.harness.elapse(600);
      expect(leg.party.heardMs).toBeGreaterThan(duringMs + 200);
    }),
    contractCase('twice, taken back twice, in any order, without a word', ['mix'], async (driver) => {
      const leg = await driver.connectedLeg();
      const hold = { type: 'hold', music: SOUND } as const;
      leg.send({ type: 'resume' }, hold, hold, { type: 'resume' }, { type: 'resume' }, hold);
      await driver.harness.elapse(300);
      expect(leg.types).toEqual(['answered']);
    }),
    contractCase('a party still presses keys', ['mix', 'press'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send({ type: 'hold', music: SOUND });
      await driver.harness.elapse(100);
      leg.party.press('7');
      expect(await leg.waitFor('digit')).toMatchObject({ digit: '7' });
    }),
    contractCase('a far end puts us on hold, and takes us back', ['far_hold'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.party.hold(true);
      expect(await leg.waitFor('far_hold')).toEqual({ type: 'far_hold', held: true });
      leg.party.hold(false);
      expect(await leg.waitFor('far_hold', 2)).toEqual({ type: 'far_hold', held: false });
    }),
    contractCase('both hold each other', ['mix', 'far_hold'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send({ type: 'hold', music: SOUND });
      leg.party.hold(true);
      await driver.harness.elapse(300);
      leg.send({ type: 'resume' });
      leg.party.hold(false);
      await driver.harness.elapse(300);
      expect(leg.types).not.toContain('ended');
    }),
  ],
};
