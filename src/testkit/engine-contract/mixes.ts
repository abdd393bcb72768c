/** Who hears whom: mixes, holds, and far ends that put us on hold. */
import { expect } from 'vitest';
import type { Case, ContractFeature, ContractTopic, Line } from '../engine-case.ts';
import { hangup, join, LONG_SOUND, near, play, proves, SOUND } from '../engine-case.ts';

const HEARING: readonly ContractFeature[] = ['mix', 'speak', 'hear'];
const SPEECH_MS = 300;

async function connected(contract: Case, count: number): Promise<Line[]> {
  const lines: Line[] = [];
  while (lines.length < count) lines.push(await contract.connected());
  return lines;
}

/** How long each of `lines` hears sound while this one speaks. */
async function heardWhile(contract: Case, speaker: Line, lines: readonly Line[]): Promise<number[]> {
  const before = lines.map(({ party }) => party.heardMs);
  speaker.party.speak(SPEECH_MS);
  await contract.harness.elapse(SPEECH_MS + 300);
  return lines.map(({ party }, at) => party.heardMs - before[at]!);
}

/** The speaker is heard by those of `lines` who are named by their places, and by nobody else. */
async function isHeardBy(contract: Case, speaker: Line, lines: readonly Line[], places: readonly number[]) {
  const expected = lines.map((_, at) => near(contract, places.includes(at) ? SPEECH_MS : 0));
  expect(await heardWhile(contract, speaker, lines)).toEqual(expected);
}

export const mixes: ContractTopic = {
  topic: 'mixes',
  cases: [
    proves('those who joined hear each other, others and themselves not', HEARING, async (contract) => {
      const lines = await connected(contract, 4);
      for (const [at, line] of lines.entries()) line.send(join(at < 3 ? 'one' : 'other'));
      await isHeardBy(contract, lines[0]!, lines, [1, 2]);
      await isHeardBy(contract, lines[2]!, lines, [0, 1]);
      await isHeardBy(contract, lines[3]!, lines, []);
    }),
    proves('whoever leaves, joins another or hangs up is not heard any more', HEARING, async (contract) => {
      const lines = await connected(contract, 3);
      for (const line of lines) line.send(join('m'));
      lines[0]!.send({ type: 'leave' });
      await isHeardBy(contract, lines[0]!, lines, []);
      await isHeardBy(contract, lines[1]!, lines, [2]);
      lines[0]!.send(join('m'), join('elsewhere'), { type: 'leave' }, join('m'));
      await isHeardBy(contract, lines[0]!, lines, [1, 2]);
      lines[2]!.send(hangup);
      await lines[2]!.until('ended');
      await isHeardBy(contract, lines[1]!, lines, [0]);
    }),
    proves('whoever is muted hears and is not heard', HEARING, async (contract) => {
      const lines = await connected(contract, 2);
      lines[0]!.send(join('m', true));
      lines[1]!.send(join('m'));
      await isHeardBy(contract, lines[0]!, lines, []);
      await isHeardBy(contract, lines[1]!, lines, [0]);
      lines[0]!.send({ type: 'mute', muted: false });
      await isHeardBy(contract, lines[0]!, lines, [1]);
      lines[0]!.send({ type: 'mute', muted: true });
      await isHeardBy(contract, lines[0]!, lines, []);
    }),
    proves('a play is heard instead of the others, by its party alone', HEARING, async (contract) => {
      const lines = await connected(contract, 2);
      for (const line of lines) line.send(join('m'));
      lines[0]!.send(play('p', LONG_SOUND));
      await isHeardBy(contract, lines[1]!, lines, []);
      await isHeardBy(contract, lines[0]!, lines, [1]);
      lines[0]!.send({ type: 'stop_play', playId: 'p' });
      await lines[0]!.until('play_ended');
      await isHeardBy(contract, lines[1]!, lines, [0]);
    }),
    proves('what was asked for before the answer, after it', [...HEARING, 'dial_answer'], async (contract) => {
      const caller = await contract.connected();
      const callee = await contract.dial({ does: 'answer', afterMs: 200 });
      caller.send(join('m'));
      callee.send(join('m'));
      await callee.until('answered');
      await isHeardBy(contract, caller, [caller, callee], [1]);
      await isHeardBy(contract, callee, [caller, callee], [0]);
    }),
    proves(
      'a callee is heard before it answers',
      [...HEARING, 'dial_answer', 'callee_early_media'],
      async (contract) => {
        const caller = await contract.connected();
        const callee = await contract.dial({ does: 'answer', earlyMediaAfterMs: 0, afterMs: 4_000 });
        caller.send(join('m'));
        callee.send(join('m'));
        await callee.until('early_media');
        await isHeardBy(contract, callee, [caller], [0]);
      },
    ),
    proves('many in one, in and out', ['mix'], async (contract) => {
      const lines = await connected(contract, 6);
      for (let round = 0; round < 4; round++) {
        for (const [at, line] of lines.entries()) line.send((at + round) % 3 === 0 ? { type: 'leave' } : join('m'));
        await contract.harness.elapse(20);
      }
      for (const line of lines) expect(line.types).toEqual(['answered']);
    }),
  ],
};

const music = [{ type: 'tone', frequencyHz: 440, durationMs: 100 } as const];

export const holds: ContractTopic = {
  topic: 'holds',
  cases: [
    proves('with music, until it is taken back', ['mix', 'hear'], async (contract) => {
      const line = await contract.connected();
      line.send({ type: 'hold', music });
      await contract.harness.elapse(600);
      const heardMs = line.party.heardMs;
      expect(heardMs).toBeGreaterThan(300);
      line.send({ type: 'resume' });
      await contract.harness.elapse(200);
      const afterwardsMs = line.party.heardMs;
      await contract.harness.elapse(400);
      expect(line.party.heardMs).toBe(afterwardsMs);
      expect(line.types).toEqual(['answered']);
    }),
    proves('whoever is held is out of its mix, and in it again afterwards', HEARING, async (contract) => {
      const lines = await connected(contract, 2);
      for (const line of lines) line.send(join('m'));
      lines[0]!.send({ type: 'hold', music: [] });
      await contract.harness.elapse(100);
      await isHeardBy(contract, lines[0]!, lines, []);
      await isHeardBy(contract, lines[1]!, lines, []);
      lines[0]!.send({ type: 'resume' });
      await contract.harness.elapse(100);
      await isHeardBy(contract, lines[0]!, lines, [1]);
      await isHeardBy(contract, lines[1]!, lines, [0]);
    }),
    proves('a play is heard instead of the music', ['mix', 'hear'], async (contract) => {
      const line = await contract.connected();
      line.send({ type: 'hold', music }, play('p', [{ type: 'silence', durationMs: 500 }]));
      await contract.harness.elapse(400);
      const duringMs = line.party.heardMs;
      expect(await line.until('play_ended')).toMatchObject({ reason: 'finished' });
      expect(duringMs).toEqual(near(contract, 0));
      await contract.harness.elapse(600);
      expect(line.party.heardMs).toBeGreaterThan(duringMs + 200);
    }),
    proves('twice, taken back twice, in any order, without a word', ['mix'], async (contract) => {
      const line = await contract.connected();
      const hold = { type: 'hold', music: SOUND } as const;
      line.send({ type: 'resume' }, hold, hold, { type: 'resume' }, { type: 'resume' }, hold);
      await contract.harness.elapse(300);
      expect(line.types).toEqual(['answered']);
    }),
    proves('a party still presses keys', ['mix', 'press'], async (contract) => {
      const line = await contract.connected();
      line.send({ type: 'hold', music: SOUND });
      await contract.harness.elapse(100);
      line.party.press('7');
      expect(await line.until('digit')).toMatchObject({ digit: '7' });
    }),
    proves('a far end puts us on hold, and takes us back', ['far_hold'], async (contract) => {
      const line = await contract.connected();
      line.party.hold(true);
      expect(await line.until('far_hold')).toEqual({ type: 'far_hold', held: true });
      line.party.hold(false);
      expect(await line.until('far_hold', 2)).toEqual({ type: 'far_hold', held: false });
    }),
    proves('both hold each other', ['mix', 'far_hold'], async (contract) => {
      const line = await contract.connected();
      line.send({ type: 'hold', music: SOUND });
      line.party.hold(true);
      await contract.harness.elapse(300);
      line.send({ type: 'resume' });
      line.party.hold(false);
      await contract.harness.elapse(300);
      expect(line.types).not.toContain('ended');
    }),
  ],
};
