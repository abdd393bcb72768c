/**
 * Plain edits for tests of the text: a step, an argument or an event is added, changed or removed, whether the flow is
 * sound afterwards or not.
 */
import type { JsonObject } from '../../../src/base/core/json.ts';
import { type GraphLanguage, verbOf } from '../../../src/language/flow/graph.ts';
import type { Change } from '../../../src/language/flow/text/change.ts';
import { type EditRefusal, type Edits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { type Path, valueAt } from '../../../src/language/flow/text/flow-source.ts';
import { keysAt, targetsIn, targetsOfStep } from '../../../src/language/flow/text/references.ts';
import { edited, setOrAdd, targetNow, verbIn, wayChanges } from '../../../src/pages/studio/web/text/edit.ts';

const noStep = (name: string): EditRefusal => ({ refused: `There is no step ${name}` });

export interface NewStep {
  name: string;
  step: JsonObject;
  /** Step that precedes it in the text. Default: the last step. */
  after?: string;
  /** Exit of `after` that is routed to the new step. */
  outcome?: string;
  /** True if the new step is routed to the previous target of that exit. */
  between?: boolean;
  language: GraphLanguage;
  narrow?: boolean;
}

export function addStep(text: string, { name, step, after, outcome, between, language, narrow }: NewStep): Edits {
  return edited(text, ({ value }) => {
    const names = keysAt(value, ['steps']);
    if (names.includes(name)) return { refused: `There is a step ${name} already`, hint: 'take another name' };
    if (after !== undefined && !names.includes(after)) return noStep(after);
    const ways: Change[] = [];
    let led: string | undefined;
    if (after !== undefined && outcome !== undefined) {
      led = targetNow(value, { step: after, outcome }, language);
      const changes = wayChanges(value, { step: after, outcome, target: name, narrow }, language);
      if (isRefusal(changes)) return changes;
      ways.push(...changes);
    }
    const routed = between && led !== undefined ? leadingTo(step, led, language) : step;
    return [...ways, { do: 'add', path: ['steps'], key: name, value: routed, ...(after !== undefined && { after }) }];
  });
}

/** Inserts a step into an edge. The new step is routed to the edge's target. */
export const insertStep = (
  text: string,
  step: Omit<NewStep, 'between'> & Required<Pick<NewStep, 'after' | 'outcome'>>,
): Edits => addStep(text, { ...step, between: true });

/** Removes a step. Routes to it stay and have no target. */
export function removeStep(text: string, name: string): Edits {
  return edited(text, ({ value }) => {
    const names = keysAt(value, ['steps']);
    if (!names.includes(name)) return noStep(name);
    if (names.length === 1) return { refused: 'A flow has at least one step' };
    return [{ do: 'remove', path: ['steps', name] }];
  });
}

/** Removes a step and routes its incoming edges to its successor. */
export function joinStep(
  text: string,
  { name, successor, language }: { name: string; successor?: string; language: GraphLanguage },
): Edits {
  return edited(text, ({ value }) => {
    if (!keysAt(value, ['steps']).includes(name)) return noStep(name);
    const to = successor ?? successorOf(value, name, language);
    if (to === undefined)
      return { refused: `${name} has no single successor`, hint: 'route its exits to one step first' };
    if (to === name) return { refused: `${name} leads to itself` };
    const ways = targetsIn(value, language).filter((target) => target.name === name && target.path[1] !== name);
    if (to === '$end' && ways.some(({ path }) => path[0] === 'start')) return { refused: 'A flow begins with a step' };
    return [
      ...ways.map(({ path }): Change => ({ do: 'set', path, value: to })),
      { do: 'remove', path: ['steps', name] },
    ];
  });
}

/** Successor of a step: the target of its success exit, or the common target of all exits. */
export function successorOf(flow: JsonObject, name: string, language: GraphLanguage): string | undefined {
  const { success } = verbIn(flow, name, language);
  const led = success === undefined ? undefined : targetNow(flow, { step: name, outcome: success }, language);
  const all = new Set(targetsOfStep(flow, name, language).map((target) => target.name));
  all.delete(name);
  return led !== undefined && led !== name ? led : all.size === 1 ? [...all][0] : undefined;
}

/** Sets the route of an event: `dtmf.0`, `hangup` …. */
export const setEvent = (text: string, event: string, target: string): Edits =>
  edited(text, ({ value }) => setOrAdd(value, ['events', event], target));

/**
 * Sets an argument. `path` is relative to the step: `['play']`, `['menu', 'prompt']`. Without a value, removes the
 * argument.
 */
export function setArgument(
  text: string,
  { step, path, value: to }: { step: string; path: Path; value: string | number | boolean | undefined },
): Edits {
  return edited(text, ({ value }) => {
    if (!keysAt(value, ['steps']).includes(step)) return noStep(step);
    const whole = ['steps', step, ...path];
    if (to !== undefined) return setOrAdd(value, whole, to);
    return valueAt(value, whole) === undefined ? [] : [{ do: 'remove', path: whole }];
  });
}

function leadingTo(step: JsonObject, target: string, language: GraphLanguage): JsonObject {
  const verb = language[verbOf(step, language)];
  if (step['next'] !== undefined || step['exits'] !== undefined || verb?.terminal) return step;
  if (verb?.success !== undefined) return { ...step, next: target };
  const outcome = verb?.outcomes.find((name) => !name.startsWith('<') && name !== 'error');
  return outcome === undefined ? step : { ...step, exits: { [outcome.split('.')[0]!]: target } };
}
