/** jambonz queues: waiting callers, their prompts, and the verb that takes a caller. Used by `jambonz.ts`. */
import { defined, type JsonObject } from '../../base/core/json.ts';
import { lost, worked } from './fidelity.ts';
import { textOf, wordOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { hookAt, type JambonzContext } from './jambonz-context.ts';
import { type JsonVerb, wordsAt } from './json-verbs.ts';
import { countAt, limitAt } from './source-numbers.ts';
import type { Unit } from './verb-unit.ts';

/** Outcome of a waiting flow that executes `leave`. */
export const LEFT = 'left';
const BEEP = { tone: 1000, duration: '300ms' };

/** Adds the caller to a queue. In jambonz, agents call in and take the next caller. */
export function enqueueUnit(list: JambonzContext, verb: JsonVerb, node: ImportedNode): Unit {
  const { fields } = verb;
  const name = wordsAt(fields, 'name');
  if (name === undefined) return list.todo(verb, node, 'put the caller into a queue without a name');
  const hook = hookAt(fields, 'waitHook');
  const waiting = hook === undefined ? undefined : list.waitingFlow(hook);
  if (hook !== undefined && waiting === undefined) worked(node, 'the caller hears music while it waits');
  const [way] = waiting?.outcomes ?? [];
  const queue = defined<JsonObject>({
    name: textOf(name),
    wait_for_agents: true,
    priority: priorityOf(fields, node),
    waiting: waiting?.flow,
    outcomes: way === undefined ? undefined : [way],
  });
  return list.unit(`queue_${wordOf(name, 'queue')}`, node, (next) => {
    const there = list.after(fields, node)(next);
    return { queue, exits: { dequeued: there, full: there, ...(way !== undefined && { [way]: there }) } };
  });
}

/** In jambonz the lowest number has priority, and calls without one are last. */
function priorityOf(fields: JsonObject, node: ImportedNode): number | undefined {
  const priority = countAt(node, fields, 'priority', { least: 0, most: LAST });
  return priority === undefined ? undefined : LAST - priority;
}

const LAST = 999;

/** Takes one caller from the queue. Keys pressed belong to the conversation. */
export function dequeueUnit(list: JambonzContext, verb: JsonVerb, node: ImportedNode): Unit {
  const { fields } = verb;
  const name = wordsAt(fields, 'name');
  if (name === undefined) return list.todo(verb, node, 'serve the next caller of a queue without a name');
  lost(node, fields, 'callSid', 'the first caller of the queue is taken, not a certain one');
  const serve = defined<JsonObject>({
    queue: textOf(name),
    once: true,
    timeout: limitAt(node, fields, 'timeout'),
    whisper: fields['beep'] === true ? BEEP : undefined,
    pause_key: '',
    leave_key: '',
  });
  return list.unit(`serve_${wordOf(name, 'queue')}`, node, (next) => {
    const there = list.after(fields, node)(next);
    return { serve, exits: { served: there, left: there, ...(serve['timeout'] !== undefined && { timeout: there }) } };
  });
}

export const leaveUnit = (list: JambonzContext, verb: JsonVerb, node: ImportedNode): Unit =>
  list.isHeardInQueue
    ? list.unit('leave', node, () => ({ return: LEFT }))
    : list.todo(verb, node, 'leave the queue: no `waitHook` among the files leads here');
