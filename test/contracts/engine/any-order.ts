/** Invariants E1 to E4 in random orders. */
import fc from 'fast-check';
import type { LegCommand } from '../../../src/base/core/leg.ts';
import { rounds } from '../../rounds.ts';
import type { ContractLeg, ContractTopic, EngineDriver } from './engine-case.ts';
import {
  answer,
  contractCase,
  detect,
  hangup,
  join,
  listen,
  play,
  record,
  refer,
  SOUND,
  sendDigits,
  stream,
} from './engine-case.ts';

const RUNS = { numRuns: rounds(60), seed: 20_260_302 };

type Wish = {
  what: 'play' | 'loop' | 'record' | 'digits' | 'listen' | 'transcript' | 'detect' | 'stream' | 'refer';
  ms: number;
};
type Act = LegCommand | Wish | 'press' | 'speak' | 'settle' | 'hangUp' | number;

/** Starts an action with an id of its own. */
function begin({ what, ms }: Wish, id: string): LegCommand {
  switch (what) {
    case 'record':
      return record(id, { maxLengthMs: ms, terminators: '#', background: ms % 2 === 0 });
    case 'digits':
      return sendDigits(id, '1w2');
    case 'listen':
      return listen(id, { maxLengthMs: ms });
    case 'transcript':
      return listen(id, { continuous: true, hints: [], track: ms % 2 === 0 ? 'inbound' : 'outbound' });
    case 'detect':
      return detect(id, ms, ms % 2 === 0 ? 0 : 500);
    case 'stream':
      return stream(id);
    case 'refer':
      return refer(id);
    default:
      return play(id, [{ type: 'silence', durationMs: ms }], what === 'loop');
  }
}

async function perform(
  driver: EngineDriver,
  leg: ContractLeg,
  acts: readonly Act[],
  nextId: () => string,
): Promise<void> {
  for (const act of acts) {
    if (typeof act === 'number') await driver.harness.elapse(act);
    else if (act === 'press') leg.party.press('1#');
    else if (act === 'speak') leg.party.speak(120);
    else if (act === 'settle') await driver.harness.elapse(0);
    else if (act === 'hangUp') leg.party.hangUp();
    else if ('type' in act) leg.send(act);
    else leg.send(begin(act, nextId()));
  }
}

const inAnyOrder =
  (commands: fc.Arbitrary<LegCommand>, wishes: readonly Wish['what'][]) => async (driver: EngineDriver) => {
    let ids = 0;
    const act: fc.Arbitrary<Act> = fc.oneof(
      commands,
      fc.constantFrom<Act>('press', 'speak', 'settle'),
      fc.record({ what: fc.constantFrom(...wishes), ms: fc.integer({ min: 0, max: 300 }) }),
      fc.constantFrom<Act>('hangUp', hangup, { type: 'reject', sipStatus: 480 }),
      fc.integer({ min: 0, max: 200 }),
    );
    const story = fc.asyncProperty(fc.boolean(), fc.array(act, { maxLength: 25 }), async (isDialled, acts) => {
      const leg = isDialled ? await driver.dial({ does: 'answer', afterMs: 50 }) : await driver.offeredLeg();
      await perform(driver, leg, acts, () => `x${++ids}`);
      await driver.checkInvariants();
    });
    await fc.assert(story, RUNS);
  };

export const anyOrder: ContractTopic = {
  topic: 'keeps E1–E4 in any order',
  cases: [
    contractCase(
      'of commands, keys and hang-ups',
      ['random', 'press', 'speak'],
      inAnyOrder(
        fc.constantFrom<LegCommand>(
          answer,
          { type: 'ring' },
          { type: 'progress' },
          { type: 'stop_play', playId: 'a' },
          { type: 'stop_record', recordId: 'a' },
        ),
        ['play', 'loop', 'record', 'digits'],
      ),
    ),
    contractCase(
      'of holds, mixes, streams, listeners and referrals',
      ['random', 'press', 'speak', 'mix', 'stream', 'listen', 'detect_machine', 'refer'],
      inAnyOrder(
        fc.oneof(
          fc.constantFrom<LegCommand>(
            answer,
            join('a'),
            join('b', true),
            { type: 'leave' },
            { type: 'mute', muted: true },
            { type: 'hold', music: SOUND },
            { type: 'resume' },
          ),
          // Ids as they are given above: some of them are there.
          fc
            .tuple(fc.constantFrom('stop_stream', 'stop_listen', 'stop_detect', 'pause_record'), fc.nat(20))
            .map(([type, id]) => stopOf(type, `x${id}`)),
        ),
        ['play', 'loop', 'record', 'listen', 'transcript', 'detect', 'stream', 'refer'],
      ),
    ),
  ],
};

function stopOf(type: 'stop_stream' | 'stop_listen' | 'stop_detect' | 'pause_record', id: string): LegCommand {
  switch (type) {
    case 'stop_stream':
      return { type, streamId: id };
    case 'stop_listen':
      return { type, listenId: id };
    case 'stop_detect':
      return { type, detectId: id };
    case 'pause_record':
      return { type, recordId: id, paused: true };
  }
}
