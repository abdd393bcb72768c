/**
 * Findings: faults of a flow that its explored calls showed, each with a test that fails until the flow is fixed.
 * `explore-flow.ts` plays the calls, `state-graph.ts` finds states without an end.
 *
 * Invariant: a finding was observed in a call, or holds for all calls of a search that was complete.
 */
import { formatDuration } from '../../base/core/duration.ts';
import { isObject } from '../../base/core/json.ts';
import type { CompiledFlow, CompiledStep } from '../../language/flow/compiled-flow.ts';
import { factsOf, flowUsesOf } from '../../language/flow/verb-facts.ts';
import { describedOutcomes } from '../../language/flow/verb-outcomes.ts';
import type { JournalEntry } from '../../service/runtime/journal.ts';
import { actionsByVerb } from '../../verbs/actions.ts';
import { longestDeadAir } from '../testkit/dead-air.ts';
import { leftStepsIn } from '../testkit/left-steps.ts';
import { brokenProperties } from '../testkit/properties.ts';
import type { Expect } from '../testkit/scenario-form.ts';
import { relevantVariables, variableOf } from './actions/relevant-variables.ts';
import { timeConditions } from './actions/time-conditions.ts';
import type { Played } from './play-choices.ts';
import type { Round, State } from './state-graph.ts';

export type FindingKind = 'crash' | 'fault' | 'dead_air' | 'trap' | 'endless' | 'unreachable' | 'property';

/** A finding without its test; the test consists of the choices that lead to the finding and of `expect`. */
export interface Found {
  kind: FindingKind;
  flow: string;
  step: string;
  message: string;
  expect: Expect;
  /** Findings with the same key are reported once. */
  key: string;
}

/** Faults with an external cause. All others are mistakes of the author, such as an expression that fails. */
const OUTSIDE_FAULTS = /^(agent|webhook|request|message|no_url|listen|record|synthesis|voice|prompt|todo|call_failed)/;

/** Returns the findings of one call. */
export function foundIn(
  { journal, heard, talks, crashes, stop }: Played,
  flow: CompiledFlow,
  maxDeadAirMs: number,
): Found[] {
  const found: Found[] = [];
  for (const { flow: flowName, step, fault } of leftStepsIn(journal)) {
    if (fault === undefined || OUTSIDE_FAULTS.test(fault.code)) continue;
    found.push({
      ...{ kind: 'fault', flow: flowName, step, key: `fault ${step} ${fault.code}` },
      message: `${step} cannot do its work: ${fault.message}`,
      expect: { never: { trace_contains: `"${fault.code}"` } },
    });
  }
  const last = stepOf(journal);
  if (stop.kind === 'ended' && ['fault', 'limit'].includes(stop.entry.reason) && found.length === 0) {
    const { fault, reason } = stop.entry;
    found.push({
      ...{ kind: 'fault', ...last, key: `ended ${last.step} ${reason} ${fault?.code}` },
      message: `the call ends by a ${reason} in ${last.step}${fault ? `: ${fault.message}` : ''}`,
      expect: { ended: 'completed' },
    });
  }
  const silence = longestDeadAir({ journal, heard, talks });
  const step = silence.step ?? last.step;
  if (silence.durationMs > maxDeadAirMs && !mayHearOthers(step, flow, journal)) {
    found.push({
      ...{ kind: 'dead_air', flow: last.flow, step, key: `dead air ${step}` },
      message: `the caller hears nothing for ${formatDuration(silence.durationMs)} from ${step} on`,
      expect: { dead_air: { max: formatDuration(maxDeadAirMs) } },
    });
  }
  for (const { name, step, expected, actual } of brokenProperties({ flow, journal, heard })) {
    found.push({
      ...{ kind: 'property', flow: flow.name, step, key: `property ${name}` },
      message: `the property "${name}" does not hold: ${expected}, and ${actual}`,
      expect: {},
    });
  }
  for (const crash of crashes) {
    const message = `the runtime failed: ${crash instanceof Error ? crash.message : String(crash)}`;
    found.push({ kind: 'crash', ...last, key: message, message, expect: {} });
  }
  return found;
}

/** True if the caller may hear audio that is not simulated: ringing of the network, other parties, or a stream. */
function mayHearOthers(step: string, flow: CompiledFlow, journal: readonly JournalEntry[]): boolean {
  const { verb = '' } = flow.steps.get(step) ?? {};
  const { listens, activity, simulated } = factsOf(verb);
  const isMeeting = listens === 'always' && activity !== undefined && simulated === undefined;
  return listens === 'talks' || isMeeting || journal.some(({ kind }) => kind === 'stream');
}

function stepOf(journal: readonly JournalEntry[]): { flow: string; step: string } {
  const entered = journal.findLast((entry) => entry.kind === 'entered');
  return entered?.kind === 'entered' ? { flow: entered.flow, step: entered.step } : { flow: '', step: '' };
}

/** Duration above which a call counts as endless; flows with a shorter `max_duration` have no endless loops. */
export const ENDLESS_MS = 10 * 60_000;

/** Maximum duration of a simulated call. */
const LONGEST = '2h';

const TO_END: Expect = { ended: 'completed' };

export const trapAt = <Node>({ flow, step }: State<Node>): Found => ({
  ...{ kind: 'trap', flow, step, key: `trap ${step}` },
  message: `no path leads out of ${step}: a caller who comes here can only hang up`,
  expect: TO_END,
});

export function roundAt<Node>({ from: { flow, step }, choices }: Round<Node>): Found {
  const who = choices.some(({ kind }) => kind === 'wrong')
    ? 'a caller who presses wrong keys'
    : choices.some(({ kind }) => kind === 'silence' || kind === 'pass')
      ? 'a silent caller'
      : 'a caller';
  const answers = choices.filter(({ kind }) => kind === 'reply' || kind === 'party').map(({ label }) => label);
  const condition = answers.length === 0 ? '' : `, as long as it is ${answers.join(', ')}`;
  return {
    ...{ kind: 'endless', flow, step, key: `endless ${step}` },
    message: `${who} goes round from ${step} back to it without end${condition}`,
    expect: { ...TO_END, duration: { max: formatDuration(ENDLESS_MS) } },
  };
}

/**
 * True if a branch depends only on comparisons with constants and on the time, so that trying these tries all its
 * cases.
 */
function isDecidedByConstants(step: string, flow: CompiledFlow): boolean {
  const { usesAt, exact, madeOf } = relevantVariables(flow);
  const { steps, notUnderstood } = timeConditions(flow);
  const paths = new Set(usesAt(step));
  for (const path of paths) for (const source of madeOf.get(variableOf(path) ?? '') ?? []) paths.add(source);
  if (notUnderstood.size > 0 || (paths.size === 0 && !steps.has(step))) return false;
  return [...paths].every((path) => !exact.has(path) && /^(vars|steps|input)\./.test(path));
}

/** True if a complete search shows that the outcome is impossible, because it tries all that leads to it. */
export function isProvedByCompleteSearch(
  step: CompiledStep,
  outcome: string,
  { flow, isReached }: { flow: CompiledFlow; isReached(outcome: string): boolean },
): boolean {
  const { verb, name, args } = step;
  if (outcome === 'limit') return true;
  if (verb === 'branch') return outcome !== 'else' && isDecidedByConstants(name, flow);
  if (actionsByVerb[verb]?.hours?.(step, flow, {}) !== undefined) return outcome === 'open';
  const declared = isObject(args) && Array.isArray(args['outcomes']) ? args['outcomes'] : [];
  // A flow that the step runs may not exist: nothing was tried then.
  return declared.includes(outcome) && flowUsesOf(verb).length > 0 && successesOf(verb).some(isReached);
}

const successesOf = (verb: string): string[] =>
  Object.entries(describedOutcomes(verb)).flatMap(([name, { success }]) => (success ? [name] : []));

export const unreachableAt = (flow: string, step: string, outcome: string): Found => ({
  ...{ kind: 'unreachable', flow, step, key: `unreachable ${step} ${outcome}` },
  message: `${step} is never left by ${outcome}, whatever comes from outside`,
  // A step is visited several times before its limit.
  expect: outcome === 'limit' ? { reached: { [`${step}.limit`]: LONGEST } } : { outcomes: { [step]: outcome } },
});

export const notMadeAt = (flow: string, step: string, outcome: string): Found => ({
  ...{ kind: 'unreachable', flow, step, key: `not made ${step} ${outcome}` },
  message: `${step} is never left by ${outcome}: no answer fits its schema`,
  expect: { outcomes: { [step]: outcome } },
});
