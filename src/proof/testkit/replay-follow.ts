/**
 * Replays steps with masked values. A step's program runs until it reads a masked value (a digit, a response,
 * type-ahead, an expression over masked values). From there the step run follows the recording: it repeats the recorded
 * commands and waits, on which the state of the runtime depends, and takes its outcome from the recording.
 *
 * Invariant: a step run without masked values is repeated by its own program and compared completely.
 */
import type { Json } from '../../base/core/json.ts';
import type {
  StepContext,
  StepDefinition,
  StepEvent,
  StepProgram,
  StepResult,
  Wait,
  Waiting,
} from '../../language/steps/step.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { MASK } from '../../service/runtime/journal.ts';
import { containsMask } from '../../service/runtime/masked-templates.ts';
import { withOverrides } from './overrides.ts';
import type { RecordedCall } from './recorded-call.ts';
import { repeat } from './replay-run.ts';

const ALL_DIGITS = '0123456789*#ABCD•';

/** Digits that a followed step run may have left for the next step. */
const PERHAPS = `${MASK}?`;

/** Thrown into a program when it reads a masked value. */
class Masked extends Error {
  readonly typedAhead: boolean;
  constructor(typedAhead = false) {
    super('masked');
    this.typedAhead = typedAhead;
  }
}

export interface Follower {
  /** Index of the recorded input that is being handled. */
  readonly inputAt: number;
  /** Number of entries that the replay has produced. */
  readonly replayed: number;
  /** Step runs that follow their recording. */
  readonly followed: Set<number>;
}

export function followingSteps(
  steps: ReadonlyMap<string, StepDefinition>,
  recorded: RecordedCall,
  follower: Follower,
): ReadonlyMap<string, StepDefinition> {
  return new Map(
    [...steps].map(([verb, definition]) => [
      verb,
      { ...definition, run: (context: StepContext) => guided(definition, context, recorded, follower) },
    ]),
  );
}

async function* guided(
  definition: StepDefinition,
  given: StepContext,
  recorded: RecordedCall,
  follower: Follower,
): StepProgram {
  const enteredAt = recorded.visits.get(given.runNumber)?.enteredAt ?? 0;
  const noted = new Noted(follower, enteredAt + (recorded.journal[enteredAt + 1]?.kind === 'rendered' ? 2 : 1));
  const context = watched(given, recorded, noted);
  let wait: Wait = {};
  let typedAhead = false;
  try {
    const made = definition.run(context);
    if (made instanceof Promise) return await made;
    let step = await made.next();
    try {
      while (!step.done) {
        wait = step.value;
        const event = yield wait;
        noted.begin(afterInput(event, given.runNumber, recorded, follower));
        if (containsMask(event)) throw new Masked();
        step = await made.next(event);
      }
      return step.value;
    } finally {
      await made.return({ outcome: 'left' });
    }
  } catch (error) {
    if (!(error instanceof Masked) || !recorded.visits.has(given.runNumber)) throw error;
    typedAhead = error.typedAhead;
  }
  follower.followed.add(given.runNumber);
  const result = yield* followed(given, noted.at, wait, recorded, follower);
  if (typedAhead && !recorded.pressed(given.runNumber)) given.leg.putBack(PERHAPS);
  return result;
}

/** Index of the first entry after this event. */
function afterInput(event: StepEvent, visit: number, recorded: RecordedCall, follower: Follower): number {
  if (event.type !== 'returned') return follower.inputAt + 1;
  const { leftAt } = recorded.visits.get(visit) ?? { leftAt: recorded.journal.length };
  const inner = recorded.journal.findLastIndex(
    (entry, index) => index < leftAt && entry.kind === 'left' && entry.visit !== visit,
  );
  return Math.max(inner, follower.inputAt) + 1;
}

/** Position of the program in the recording, by the number of entries since it resumed. */
class Noted {
  readonly #follower: Follower;
  #from: number;
  #replayed: number;

  constructor(follower: Follower, from: number) {
    this.#follower = follower;
    this.#from = from;
    this.#replayed = follower.replayed;
  }

  begin(from: number): void {
    this.#from = from;
    this.#replayed = this.#follower.replayed;
  }

  get at(): number {
    return this.#from + this.#follower.replayed - this.#replayed;
  }
}

/** Context that stops the program at masked values. */
function watched(given: StepContext, recorded: RecordedCall, noted: Noted): StepContext {
  const { leg } = given;
  return withOverrides(given, {
    leg: withOverrides(leg, {
      takeTypedAhead() {
        const digits = leg.takeTypedAhead();
        const next = recorded.journal[noted.at];
        // If the recorded step played a prompt, there were no digits left for it.
        if (digits === PERHAPS && next?.kind === 'command' && next.command.type === 'play') return '';
        if (containsMask(digits)) throw new Masked(true);
        return digits;
      },
    }),
    async test(expression, result) {
      if (containsMask(result) || mentions(expression, recorded.maskedNames)) throw new Masked();
      return given.test(expression, result);
    },
  });
}

const mentions = (expression: string, names: ReadonlySet<string>): boolean =>
  [...expression.matchAll(/\b(?:vars|steps|input)\.`?([\p{L}_][\p{L}\p{M}\p{N}_-]*)/gu)].some(([, name]) =>
    names.has(name!),
  );

/** Repeats the recording of a step run from the entry at `from`. */
async function* followed(
  context: StepContext,
  from: number,
  lastWait: Wait,
  recorded: RecordedCall,
  follower: Follower,
): Waiting<StepResult> {
  const { journal } = recorded;
  const visit = recorded.visits.get(context.runNumber)!;
  for (let at = from; at < visit.leftAt; at++) {
    const entry = journal[at]!;
    if (entry.kind === 'vars') break;
    if (entry.kind === 'timer' || entry.kind === 'in') {
      const wait = entry.kind === 'timer' ? { withinMs: entry.afterMs } : {};
      const event = yield { ...wait, ...listening(recorded, at, visit.leftAt, context.runNumber, lastWait) };
      at = afterInput(event, context.runNumber, recorded, follower) - 1;
      continue;
    }
    repeat(context, entry);
  }
  return outcomeOf(recorded, context.runNumber);
}

/** Determines if the wait that starts here accepted digits: then the next digit caused an action of the step. */
function listening(recorded: RecordedCall, at: number, leftAt: number, visit: number, lastWait: Wait): Wait {
  const signals = lastWait.signals ? { signals: lastWait.signals } : {};
  let input = recorded.journal[at]!.kind === 'in' ? at : recorded.next('in', at);
  while (isForTheRun(recorded.journal[input])) input = recorded.next('in', input);
  const entry = recorded.journal[input];
  if (entry?.kind !== 'in' || entry.input.type !== 'leg' || entry.input.event.type !== 'digit') return signals;
  const until = Math.min(recorded.next('in', input), leftAt + 1);
  const own = recorded.journal.slice(input + 1, until).filter((each) => 'visit' in each && each.visit === visit);
  // If an interrupt left the step, the step did not accept the key.
  const isLeft = own.some((each) => each.kind === 'left' && each.outcome.startsWith('$'));
  return own.length > 0 && !isLeft ? { ...signals, digits: { claims: ALL_DIGITS } } : signals;
}

/** Inputs that the runtime handles while a step keeps waiting. */
function isForTheRun(entry: JournalEntry | undefined): boolean {
  if (entry?.kind !== 'in') return false;
  const { input } = entry;
  if (input.type === 'command') return ['hold', 'recording', 'stream'].includes(input.command.type);
  return input.type === 'leg' && ['stream_started', 'stream_ended', 'utterance'].includes(input.event.type);
}

function outcomeOf(recorded: RecordedCall, visit: number): StepResult {
  const { left, leftAt } = recorded.visits.get(visit)!;
  if (!left) return { outcome: 'error' };
  const target = recorded.journal[leftAt + 1];
  return {
    outcome: left.outcome,
    ...(left.result === undefined ? {} : { result: left.result as Json }),
    ...(left.fault ? { fault: left.fault } : {}),
    ...(left.outcome === 'goto' && target?.kind === 'entered' ? { goto: target.step } : {}),
  };
}
