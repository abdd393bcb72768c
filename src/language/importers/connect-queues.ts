/**
 * Amazon Connect blocks for queues: checks, prompts for callers and agents, priorities and callbacks. A Connect block
 * sets a value for the rest of the call; here a variable holds the value, and the `queue` step reads it.
 *
 * Used by `connect-actions.ts`.
 */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { casesOf } from './connect-cases.ts';
import type { ConnectAction, ConnectActionContext, WriteAction } from './connect-context.ts';
import { CALLBACK, METRICS, PRIORITY, QUEUE, RECORDED } from './connect-names.ts';
import { displayName, idAtEnd } from './connect-parameters.ts';
import { noted, untranslated, worked } from './fidelity.ts';
import { END } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { MAX_PRIORITY } from './parties.ts';
import { countAt, timeAt } from './source-numbers.ts';
import { passOver, unviewed, whole } from './source-views.ts';

/** Priority of a caller without one, in Connect. */
const USUAL = 5;

const isUsed = (context: ConnectActionContext, type: string): boolean =>
  context.actions.some((action) => action.type === type);

export const toQueue: WriteAction = (context, action, node) => {
  const variable = (name: string) => `vars.${context.flow.variable(name)}`;
  noted(node, 'agents come to the queue with the verb `serve`, or name phones in `agents`');
  const isRecorded = context.actions.some(({ type }) => /^UpdateContactRecording/.test(type));
  const priority = `vars.${PRIORITY}`;
  const queue = defined<JsonObject>({
    name: `\${ ${variable(QUEUE)} }`,
    wait_for_agents: true,
    // Priority and recording are attributes, so that they are passed from flow to flow.
    priority: isUsed(context, 'UpdateContactRoutingBehavior') ? `\${ ${priority} ? ${priority} : 0 }` : undefined,
    record: isRecorded ? `\${ ${variable(RECORDED)} = true }` : undefined,
    ...heardIn(context),
  });
  // The call ends with the conversation. The block only continues if the caller cannot be queued.
  const exits = { dequeued: END, full: context.onError(action, 'QueueAtCapacity') };
  context.flow.step(action.step, { queue, exits }, node.notes);
};

/** Prompts for the caller and the agent, from the event flows that this flow sets. */
function heardIn(context: ConnectActionContext): JsonObject {
  const hooks = context.actions.filter(({ type }) => type === 'UpdateContactEventHooks');
  const heard: JsonObject = {};
  for (const action of hooks) {
    for (const { event, flow } of hooksOf(action.parameters, action.metadata)) {
      const key = HEARD[event];
      if (key === 'waiting') {
        const called = context.called(flow);
        if (called !== undefined) heard[key] = { flow: called.name, input: context.handOver() };
      } else if (key !== undefined) {
        const words = context.wordsOf(flow);
        if (words !== undefined) heard[key] = words;
      }
    }
  }
  return heard;
}

/** Connect events, as arguments of `queue`. */
const HEARD: Readonly<Record<string, string>> = {
  CustomerQueue: 'waiting',
  AgentWhisper: 'whisper',
  CustomerWhisper: 'caller_whisper',
  CustomerHold: 'hold_music',
  AgentHold: 'hold_music',
};

interface Hook {
  event: string;
  /** Name of the event flow, or the last segment of its id. */
  flow: string;
}

function hooksOf(parameters: JsonObject, metadata: JsonObject): Hook[] {
  const { EventHooks: hooks } = parameters;
  const shown = isObject(metadata['parameters']) ? metadata['parameters']['EventHooks'] : undefined;
  return Object.entries(isObject(hooks) ? hooks : {}).map(([event, id]) => {
    const named = isObject(shown) && isObject(shown[event]) ? shown[event]['displayName'] : undefined;
    return { event, flow: typeof named === 'string' ? named : idAtEnd(id) };
  });
}

/** Returns true if the block only sets event flows that the `queue` step plays. Such a block needs no step. */
export function heardLater(
  context: ConnectActionContext,
  { type, parameters, metadata }: ConnectAction,
  node: ImportedNode,
): boolean {
  if (type !== 'UpdateContactEventHooks') return false;
  const hooks = hooksOf(parameters, metadata);
  if (hooks.length === 0 || hooks.some(({ event, flow }) => hookProblem(context, event, flow) !== undefined))
    return false;
  for (const { event } of hooks) noted(node, `the step of the queue has it as \`${HEARD[event]}\``);
  return true;
}

export const eventHooks: WriteAction = (context, { parameters, metadata }) => {
  const hooks = hooksOf(parameters, metadata);
  const problems = hooks.flatMap(({ event, flow }) => hookProblem(context, event, flow) ?? []);
  untranslated(problems.join('; ') || 'set flows of events, which the source does not name');
};

function hookProblem(context: ConnectActionContext, event: string, flow: string): string | undefined {
  const key = HEARD[event];
  const name = flow.slice(0, 100);
  if (key === undefined) return `run the flow ${name} for the event ${event.slice(0, 40)}`;
  const isOther = context.actions
    .filter(({ type }) => type === 'UpdateContactEventHooks')
    .flatMap(({ parameters, metadata }) => hooksOf(parameters, metadata))
    .some((hook) => HEARD[hook.event] === key && hook.flow !== flow);
  if (isOther) return `choose between several flows for the event ${event}`;
  if (key === 'waiting') {
    return context.called(flow)
      ? undefined
      : `play to those who wait what the flow ${name} says: import it together with this one`;
  }
  return context.wordsOf(flow)
    ? undefined
    : `say what the flow ${name} says (${event}): import it together with this one; it may only say and play`;
}

/** Event flows of which only the prompts are used. */
export const wordsOnly = (actions: readonly ConnectAction[]): string[] =>
  actions
    .filter(({ type }) => type === 'UpdateContactEventHooks')
    .flatMap(({ parameters, metadata }) => hooksOf(parameters, metadata))
    .flatMap(({ event, flow }) => (HEARD[event] === undefined || HEARD[event] === 'waiting' ? [] : [flow]));

/** Event flows that play while the caller waits. */
export const waitingFlows = (actions: readonly ConnectAction[]): string[] =>
  actions
    .filter(({ type }) => type === 'UpdateContactEventHooks')
    .flatMap(({ parameters, metadata }) => hooksOf(parameters, metadata))
    .flatMap(({ event, flow }) => (HEARD[event] === 'waiting' ? [flow] : []));

export const routing: WriteAction = (context, action, node) => {
  const { QueuePriority: priority, QueueTimeAdjustmentSeconds: seconds } = action.parameters;
  if (seconds !== undefined) worked(node, 'callers have a priority; none is moved by seconds of waiting');
  // In Connect the smallest number has priority and the default is 5. Here the largest number has priority and the
  // default is 0.
  if (priority !== undefined && !Number.isFinite(Number(priority)))
    untranslated('give a priority that is known on the call only');
  const given = countAt(node, action.parameters, 'QueuePriority', { least: 0, most: MAX_PRIORITY, otherwise: USUAL });
  const set = { [context.flow.variable(PRIORITY)]: USUAL - given! };
  context.flow.step(action.step, { set, next: context.next(action) }, node.notes);
};

/**
 * The caller requests the callback without waiting and continues in the flow. The callback puts the callee into the
 * queue.
 */
export const callback: WriteAction = (context, action, node) => {
  const { InitialCallDelaySeconds: delay } = action.parameters;
  worked(node, 'a caller for whom an agent is free at that moment talks with the agent at once');
  if (Number(delay) > 0) worked(node, 'it is called when an agent is free, without a delay before the first time');
  const asks = context.makeFlow('asks-for-callback');
  const back = context.makeFlow('called-back');
  if (asks.isEmpty) {
    asks.step('ask', { return: 'callback' });
    asks.begin('ask', 'Offers a callback to the caller.');
    const queue = { name: `\${ input.${back.input('queue')} }`, wait_for_agents: true };
    back.step('wait', { queue, exits: { dequeued: END, full: END } });
    back.begin('wait', 'Flow of a caller who is called back.');
  }
  const name = queueNamed(context, action);
  const isKnown = isUsed(context, 'UpdateContactCallbackNumber');
  const order = defined<JsonObject>({
    flow: back.name,
    input: { queue: name },
    to: isKnown ? `\${ vars.${context.flow.variable(CALLBACK)} }` : undefined,
    attempts: countAt(node, action.parameters, 'MaximumConnectionAttempts', { most: 10 }),
    pause: timeAt(node, action.parameters, 'RetryDelaySeconds'),
  });
  const queue = { name, wait_for_agents: true, waiting: asks.name, callback: order };
  const next = context.next(action);
  const failed = context.onError(action, 'NoMatchingError');
  const exits = { callback: next, dequeued: END, no_callback: failed, full: failed, error: failed };
  context.flow.step(action.step, { queue, exits }, node.notes);
};

/** Metrics, as fields of the result of `check_queue`. */
const FIGURES: Readonly<Record<string, string>> = {
  NumberOfAgentsAvailable: 'free',
  NumberOfAgentsStaffed: 'agents',
  NumberOfAgentsOnline: 'agents',
  NumberOfContactsInQueue: 'waiting',
  OldestContactInQueueAgeSeconds: 'longest_wait',
  OldestContactAgeInQueue: 'longest_wait',
};

const SIGNS: Readonly<Record<string, string>> = {
  NumberGreaterThan: '>',
  NumberGreaterOrEqualTo: '>=',
  NumberLessThan: '<',
  NumberLessOrEqualTo: '<=',
  NumberEquals: '=',
  Equals: '=',
};

const queueNamed = (context: ConnectActionContext, action: ConnectAction): string => {
  const { QueueId: id } = action.parameters;
  const name = displayName(action, 'QueueId') ?? (typeof id === 'string' ? idAtEnd(id) : undefined);
  return name === undefined ? `\${ vars.${context.flow.variable(QUEUE)} }` : context.text(name);
};

export const checkMetric: WriteAction = (context, action, node) => {
  const metric = String(action.parameters['MetricType'] ?? 'NumberOfAgentsAvailable');
  const figure = FIGURES[metric] ?? untranslated(`decide by the figure ${metric.slice(0, 60)} of a queue`);
  const sorted = context.flow.reserve(`${action.step}_by`);
  node.steps.push(sorted);
  const branch: Json[] = casesOf(action).map(({ operator, value, next }) => ({
    when: `steps.${action.step}.${figure} ${SIGNS[operator] ?? untranslated(`compare by ${operator.slice(0, 40)}`)} ${numberIn(value)}`,
    next: context.stepOf(next),
  }));
  branch.push({ else: context.onError(action, 'NoMatchingCondition') });
  const error = context.onError(action, 'NoMatchingError');
  const exits = { free: sorted, busy: sorted, no_agents: sorted, error };
  context.flow.step(action.step, { check_queue: queueNamed(context, action), exits }, node.notes);
  context.flow.step(sorted, { branch });
};

const numberIn = (value: string): number =>
  Number.isFinite(Number(value)) && value.trim() !== ''
    ? Number(value)
    : untranslated('compare with what is not a number');

/** The flow reads the figures later as `$.Metrics`. */
export const getMetrics: WriteAction = (context, action, node) => {
  const next = context.next(action);
  const set = { [context.flow.variable(METRICS)]: '${ result }' };
  const exits = { free: next, busy: next, no_agents: next, error: context.onError(action, 'NoMatchingError') };
  context.flow.step(action.step, { check_queue: queueNamed(context, action), set, exits }, node.notes);
};

/**
 * The `queue` step records the conversation with the agent. This step records what the caller says to the flow from
 * here on.
 */
export const recording: WriteAction = (context, action, node) => {
  const { RecordingBehavior: behaviour, AnalyticsBehavior: analytics } = action.parameters;
  if (isObject(analytics)) {
    passOver(action.parameters, ['AnalyticsBehavior']);
    if (!/^disabled$/i.test(String(unviewed(analytics)['Enabled']))) worked(node, 'conversations are not analysed');
  }
  if (isObject(behaviour)) passOver(behaviour, ['IVRRecordingBehavior', 'ScreenRecordedParticipants']);
  const voice = isObject(behaviour)
    ? (behaviour['RecordedParticipants'] ?? behaviour['VoiceRecordingBehavior'])
    : undefined;
  const recorded = whole(isObject(voice) ? voice['RecordedParticipants'] : voice);
  const participants = Array.isArray(recorded) ? recorded : [];
  const isOfFlow = isFlowRecorded(behaviour);
  if (participants.length === 1) worked(node, 'both sides are recorded, not one of them alone');
  const next = context.next(action);
  const set = { [context.flow.variable(RECORDED)]: participants.length > 0 };
  const isEver = context.actions.some(({ parameters }) => isFlowRecorded(unviewed(parameters)['RecordingBehavior']));
  if (!isOfFlow && isEver) {
    return context.flow.step(action.step, { recording: 'stop', set, exits: { done: next, failed: next } }, node.notes);
  }
  if (isOfFlow) {
    const exits = { started: next, failed: next };
    return context.flow.step(action.step, { recording: 'start', set, exits }, node.notes);
  }
  context.flow.step(action.step, { set, next }, node.notes);
};

const isFlowRecorded = (behaviour: Json | undefined): boolean =>
  isObject(behaviour) && unviewed(behaviour)['IVRRecordingBehavior'] === 'Enabled';
