/**
 * Reasons why the extraction of steps would change the call, or cannot be written.
 *
 * The runtime lets interrupts of the calling flow act while a local flow runs, and leave it; a hang-up that a local flow
 * does not route is passed on to the step that called it. Both lose the variables of the local flow, so that a value
 * which is needed afterwards is a reason to refuse.
 */
import type { JsonObject } from '../../../base/core/json.ts';
import { END } from '../outcome.ts';
import { isReentered, listed, type Parts, type PlanProblem } from './extract-parts.ts';
import { valueAt } from './flow-source.ts';
import type { Language } from './language.ts';
import { momentsIn, targetsOfStep } from './references.ts';
import { keyOf, readsIn, type ScopeRead } from './scope-reads.ts';
import { isAmong, type StepValues } from './step-values.ts';

export function problemsOf(parts: Parts): PlanProblem[] {
  const { flow, values, selected, inside, outside } = parts;
  const found: PlanProblem[] = [];
  const add = (names: readonly string[], problem: (names: string) => string, hint?: string): void => {
    if (names.length > 0) found.push({ problem: problem(listed(names)), ...(hint !== undefined && { hint }) });
  };
  const named = (steps: readonly StepValues[], is: (step: StepValues) => boolean): string[] =>
    steps.filter(is).map(({ name }) => name);
  const all = [...inside, ...outside];
  add(
    named(all, ({ name, verb }) => mayGoto(flow, name, verb)),
    (names) => `${names} may send the call to any step`,
  );
  add(
    named(inside, ({ reads }) => reads.any || reads.found.some(isUnnamed)),
    (names) => `${names} reads values by names that only the call knows`,
  );
  add(
    named(outside, ({ reads }) => reads.any || reads.found.some((read) => isWholeResult(read, selected))),
    (names) => `${names} reads values by names that only the call knows`,
  );
  if (readsIn(flow['prompts'], ['prompts']).found.length > 0) {
    found.push({ problem: 'The prompts of the flow read values', hint: 'write these texts at their steps' });
  }
  add(
    named(inside, ({ ways }) => ways.some(({ outcome, own }) => own && outcome === 'hangup')),
    (names) => `${names} handles a hang-up itself`,
    'route it in the events of the flow, or leave the step out',
  );
  if (selected.has(values.atHangup)) {
    found.push({ problem: `A hang-up leads to ${values.atHangup}`, hint: 'leave this step out' });
  }
  add(
    momentsIn(flow).flatMap(({ name }) => (selected.has(name.split('.')[0]!) ? [name.split('.')[0]!] : [])),
    (names) => `The properties of the flow name ${names}`,
  );
  found.push(...partnerProblems(parts), ...countProblems(parts), ...lostProblems(parts));
  return found;
}

const isUnnamed = ({ scope, name, field }: ScopeRead): boolean =>
  name === undefined || (scope === 'steps' && field === undefined);

const isWholeResult = (read: ScopeRead, selected: ReadonlySet<string>): boolean =>
  isUnnamed(read) &&
  (read.name === undefined ? read.scope === 'steps' : selected.has(read.name) && read.scope === 'steps');

function mayGoto(flow: JsonObject, name: string, verb: string): boolean {
  const may = valueAt(flow, ['steps', name, verb, 'may']);
  return [may].flat().includes('goto');
}

/**
 * An interrupt may leave a conversation, which another step continues; and a caller on hold is taken off hold by another
 * step. Both need steps of one flow.
 */
function partnerProblems({ inside, outside, values, language }: Parts): PlanProblem[] {
  const hasInterrupts = Object.keys(values.graph.events).some((event) => event !== 'hangup');
  const talks = ({ verb }: StepValues): boolean =>
    Object.values(language.verbs[verb]?.outcomeTable ?? {}).some(({ talked }) => talked);
  const holds = ({ verb }: StepValues): boolean => {
    const { group, success, names = {} } = language.verbs[verb] ?? {};
    return group === 'call' && success !== undefined && !Object.values(names).some((named) => named === 'party');
  };
  const is = hasInterrupts ? (step: StepValues) => talks(step) || holds(step) : holds;
  const [one, other] = [inside.find(is), outside.find(is)];
  if (one === undefined || other === undefined) return [];
  const problem = `${one.name} and ${other.name} belong to one conversation, and only one of them is selected`;
  return [{ problem, hint: 'select both, or none' }];
}

/** True if the verb leads back to a step for a number of rounds. */
function countsRounds(verb: string, { verbs }: Language): boolean {
  const { limit, done } = verbs[verb]?.outcomeTable ?? {};
  return limit !== undefined && done?.target !== undefined;
}

/** Counts and results of steps begin again in each run of a local flow. */
function countProblems(parts: Parts): PlanProblem[] {
  const { flow, values, inside, selected, entry, language } = parts;
  const found: PlanProblem[] = [];
  for (const { name, verb } of inside) {
    if (!countsRounds(verb, language)) continue;
    const back = targetsOfStep(flow, name, language.verbs).find(({ path }) => path[2] === verb)?.name;
    if (back === undefined || selected.has(back)) continue;
    found.push({ problem: `${name} repeats ${back}, which is not selected`, hint: 'select both, or none' });
  }
  if (!isReentered(parts)) return found;
  for (const { name, verb } of inside) {
    if (valueAt(flow, ['steps', name, 'max_visits']) === undefined && !countsRounds(verb, language)) continue;
    const problem = `${name} counts its visits, and a loop outside would begin the count again`;
    found.push({ problem, hint: 'select the whole loop, or move the limit to a step outside' });
  }
  // A result of an earlier run is not there any more.
  const written = values.writtenBefore(entry, selected);
  for (const { name, reads } of inside) {
    const earlier = reads.found.find(
      (read) =>
        read.scope === 'steps' &&
        selected.has(read.name!) &&
        read.name !== name &&
        !isAmong(keyOf(read), written.get(name) ?? new Set()),
    );
    if (earlier === undefined) continue;
    found.push({ problem: `${name} may read the result of ${earlier.name} from an earlier round of the loop` });
  }
  return found;
}

/** Values that are lost when an interrupt, a hang-up or the end of the call leaves the local flow. */
function lostProblems(parts: Parts): PlanProblem[] {
  const { values, inside } = parts;
  const written = new Set(inside.flatMap(({ mayWrite }) => [...mayWrite]));
  const found: PlanProblem[] = [];
  const look = (target: string, when: string): void => {
    const lost = [...values.neededAt(target)].filter((key) => isAmong(key, written));
    if (lost.length === 0) return;
    const names = listed(lost.map((key) => key.split(' ')[1]!));
    found.push({ problem: `${names} is set here and needed after ${when}`, hint: `leave the steps that set it out` });
  };
  for (const [event, target] of Object.entries(values.graph.events)) if (event !== 'hangup') look(target, event);
  look(values.atHangup, 'a hang-up');
  if (inside.some(({ isTerminal }) => isTerminal)) look(END, 'the end of the call');
  return found;
}
