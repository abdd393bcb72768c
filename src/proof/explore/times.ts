/**
 * Moments at which a flow may decide differently: around each change of its opening hours and of the conditions that
 * read the time (`actions/time-conditions.ts`). `search.ts` plays calls at these moments.
 *
 * Invariant: each state of all hours and conditions within a week, and on each day of a year, is that of one moment.
 */
import type { JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow, CompiledStep } from '../../language/flow/compiled-flow.ts';
import { evaluate } from '../../language/flow/expression.ts';
import { stateAt } from '../../language/flow/opening-hours.ts';
import type { Scalar } from '../../language/flow/types/type.ts';
import { namesOf } from '../../language/flow/verb-facts.ts';
import { actionsByVerb } from '../../verbs/actions.ts';
import { FIRST_MS, type Setup } from './actions/setup.ts';
import { type TimeCondition, timeConditions } from './actions/time-conditions.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SAMPLE_MS = 15 * MINUTE_MS;
const WEEK_DAYS = 8;
const YEAR_DAYS = 400;
/** Maximum number of moments that are tried. */
const MAX_MOMENTS = 32;

/** State of hours or of a condition at a moment, as text. */
type StateAt = (ms: number) => string | Promise<string>;

/** Setups in which the step is entered around each change. `enteredMs`: the time at which it is entered now. */
export async function timedSetups(
  step: CompiledStep,
  flow: CompiledFlow,
  setup: Setup,
  enteredMs: number,
): Promise<Setup[]> {
  if (setup.at !== undefined || !dependsOnTime(step, flow)) return [];
  // The step is entered within the minute of the moment.
  const lateMs = Math.floor((enteredMs - FIRST_MS) / MINUTE_MS) * MINUTE_MS;
  return (await momentsOf(flow, setup)).map((ms) => ({ ...setup, at: new Date(ms - lateMs).toISOString() }));
}

/** True if the outcome of the step, or a variable that it sets, depends on the time. */
export const dependsOnTime = ({ name, verb }: CompiledStep, flow: CompiledFlow): boolean =>
  actionsByVerb[verb]?.hours !== undefined || namesSchedule(verb) || timeConditions(flow).steps.has(name);

const namesSchedule = (verb: string): boolean =>
  Object.values(namesOf(verb) ?? {}).some((named) => named === 'schedule');

const known = new WeakMap<CompiledFlow, Map<string, Promise<number[]>>>();

function momentsOf(flow: CompiledFlow, setup: Setup): Promise<number[]> {
  const cache = known.get(flow) ?? new Map<string, Promise<number[]>>();
  known.set(flow, cache);
  const { timezone = flow.timezone, schedules = {} } = setup;
  const key = JSON.stringify([timezone, schedules]);
  const found = cache.get(key) ?? changesOf(statesOf(flow, setup, timezone));
  cache.set(key, found);
  return found;
}

function statesOf(flow: CompiledFlow, setup: Setup, timezone: string | undefined): StateAt[] {
  const hours = [...flow.steps.values()].flatMap((step): JsonObject[] => {
    const own = actionsByVerb[step.verb]?.hours?.(step, flow, setup);
    return own === undefined ? [] : [own];
  });
  return [
    ...hours.map(
      (each): StateAt =>
        (ms) =>
          stateAt(each, ms),
    ),
    ...timeConditions(flow).conditions.map(
      (each): StateAt =>
        (ms) =>
          stateOf(each, ms, timezone),
    ),
  ];
}

/** Whether the value is below, at or above each constant; its truth without constants. */
async function stateOf(
  { expression, constants }: TimeCondition,
  nowMs: number,
  timezone: string | undefined,
): Promise<string> {
  try {
    const value = await evaluate(expression, {} as never, { nowMs, timezone, random: () => 0 });
    if (constants.length === 0) return typeof value === 'boolean' ? String(value) : '';
    return constants.map((constant) => order(value as Scalar, constant)).join('');
  } catch {
    return 'error';
  }
}

const order = (value: Scalar | undefined, constant: Scalar): string => {
  if (value === constant) return '=';
  if (typeof value !== typeof constant || value === undefined || value === null || constant === null) return '?';
  return value < constant ? '<' : '>';
};

/** Walks a week in small steps, and then each day at noon; a day with a new state is walked as well. */
async function changesOf(states: readonly StateAt[]): Promise<number[]> {
  const moments = new Set<number>();
  const stateAtMs = async (ms: number): Promise<string> =>
    (await Promise.all(states.map((each) => each(ms)))).join(' ');
  const reached = new Set([await stateAtMs(FIRST_MS)]);
  const changes = new Set<string>();
  const walk = async (fromMs: number, toMs: number): Promise<void> => {
    let before = { ms: fromMs, state: await stateAtMs(fromMs) };
    for (let ms = fromMs + SAMPLE_MS; ms <= toMs; ms += SAMPLE_MS) {
      const state = await stateAtMs(ms);
      const change = `${before.state} > ${state}`;
      if (state !== before.state && !changes.has(change)) {
        const firstMs = await firstAfter(before, ms, stateAtMs);
        // The moment before the change may belong to a state that was seen already.
        for (const each of [firstMs - MINUTE_MS, firstMs]) moments.add(each);
        changes.add(change);
      }
      reached.add(state);
      before = { ms, state };
    }
  };
  await walk(FIRST_MS, FIRST_MS + WEEK_DAYS * DAY_MS);
  for (let day = WEEK_DAYS; day < YEAR_DAYS && states.length > 0; day += 1) {
    const ms = FIRST_MS + day * DAY_MS;
    if (!reached.has(await stateAtMs(ms))) await walk(ms - DAY_MS, ms + DAY_MS);
  }
  return [...moments].toSorted((one, other) => one - other).slice(0, MAX_MOMENTS);
}

/** First minute with another state, between two moments with different states. */
async function firstAfter(
  before: { ms: number; state: string },
  untilMs: number,
  stateAtMs: (ms: number) => Promise<string>,
): Promise<number> {
  let [low, high] = [before.ms, untilMs];
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if ((await stateAtMs(middle)) === before.state) low = middle;
    else high = middle;
  }
  return high;
}
