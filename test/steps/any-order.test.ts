/** Random events of legs in random order: no leg is left behind, none is connected twice, nothing crashes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { causeOf } from '../../src/base/core/causes.ts';
import type { LegEvent } from '../../src/base/core/leg.ts';
import { rounds } from '../rounds.ts';
import { type ScriptedLeg, type ScriptedLegs, startLegs } from './scripted-legs.ts';

const FLOWS: Readonly<Record<string, string>> = {
  bridge: `
  first: { bridge: { to: [["+441", "+442"], "+443"], whisper: { text: w }, max_duration: 50s }, exits: { completed: bye, failed: away } }`,
  screened: `
  first: { bridge: { to: [["+441", "+442"], "+443"], screen: { prompt: { text: p } }, detect_machine: true }, exits: { completed: bye, failed: away, machine: away } }`,
  early: `
  first: { bridge: { to: ["+441", "+442"] }, exits: { completed: bye, failed: away } }`,
  transfer: `
  first: { bridge: "+441", exits: { completed: bye, failed: away } }
  move: { transfer: { to: "+442" }, exits: { transferred: bye, returned: bye, failed: away } }`,
};

const lineEvent = fc.oneof(
  fc.constantFrom<LegEvent>(
    { type: 'ringing' },
    { type: 'answered' },
    { type: 'answered' },
    { type: 'early_media' },
    { type: 'digit', digit: '1', durationMs: 100 },
    { type: 'digit', digit: '2', durationMs: 100 },
    { type: 'far_hold', held: true },
    { type: 'far_hold', held: false },
    { type: 'referred', referId: 'r1', to: '+449' },
    { type: 'referred', referId: 'r2', to: 'sip:x@here', replacesLegId: 'leg-99' },
  ),
  fc.constantFrom(16, 17, 19, 21).map((code): LegEvent => ({ type: 'ended', cause: causeOf(code), by: 'far' })),
);

type Act =
  | { who: number; event: LegEvent }
  | { who: number; answers: 'play' | 'human' | 'machine' | 'refer' }
  | { passMs: number }
  | { command: 'transfer' | 'blind' | 'move' }
  | { takenOver: boolean };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ who: fc.nat(4), event: lineEvent }) },
  {
    weight: 3,
    arbitrary: fc.record({ who: fc.nat(4), answers: fc.constantFrom('play', 'human', 'machine', 'refer') }),
  },
  { weight: 2, arbitrary: fc.record({ passMs: fc.constantFrom(1_000, 15_000, 60_000) }) },
  { weight: 2, arbitrary: fc.record({ command: fc.constantFrom('transfer', 'blind', 'move') }) },
  { weight: 1, arbitrary: fc.record({ takenOver: fc.boolean() }) },
);

/** The pending answer of a leg to its last request of this kind. */
function owed(line: ScriptedLeg, what: 'play' | 'human' | 'machine' | 'refer'): LegEvent | undefined {
  const asked = line.commands.findLast(
    ({ type }) => type === (what === 'play' ? 'play' : what === 'refer' ? 'refer' : 'detect_machine'),
  );
  if (asked?.type === 'play') return { type: 'play_ended', playId: asked.playId, reason: 'finished', playedMs: 1 };
  if (asked?.type === 'refer') return { type: 'refer_ended', referId: asked.referId, sipStatus: 200 };
  if (asked?.type !== 'detect_machine' || (what !== 'human' && what !== 'machine')) return undefined;
  return { type: 'machine_detected', detectId: asked.detectId, result: what, afterMs: 1 };
}

async function play(legs: ScriptedLegs, step: Act, index: number): Promise<void> {
  const { call, caller } = legs;
  if ('passMs' in step) return call.clock.advance(step.passMs);
  if ('takenOver' in step) {
    const found = step.takenOver ? { leg: `stranger-${index}`, to: '+448' } : {};
    call.run.post({ type: 'taken_over', visit: 1, ...found });
    return call.clock.settle();
  }
  if ('command' in step) {
    if (step.command === 'move') await call.command({ type: 'event', name: 'move', data: null });
    else {
      const mode = step.command === 'blind' ? 'blind' : 'attended';
      await call.command({ type: 'transfer', channelId: 'c', args: { to: '+447', mode } });
    }
    return;
  }
  const line = step.who === 0 ? caller : legs.all[step.who - 1];
  if (!line || line.ended) return;
  const event = 'event' in step ? step.event : owed(line, step.answers);
  // Undefined if the leg has no pending request.
  if (event) await line.emit(event);
}

it.each(Object.keys(FLOWS))(
  'keeps the rules for a %s',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(act, { maxLength: 25 }), async (outbound, acts) => {
        const legs = await startLegs(`${FLOWS[name]}\n  away: { pause: 10s, next: bye }`, {
          outbound,
          head: FLOWS[name]!.includes('move:') ? 'events: { event.move: move }' : '',
        });
        for (const [index, step] of acts.entries()) {
          await play(legs, step, index);
          const { caller, all } = legs;
          const talking = all.filter((line) => !line.ended && line.mix !== undefined && line.mix === caller.mix);
          expect(talking.length).toBeLessThan(2);
          expect(legs.call.crashes).toEqual([]);
        }
        await legs.close();
      }),
      { numRuns: rounds(20), seed: 7 },
    );
  },
  60_000,
);
