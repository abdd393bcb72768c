/**
 * The verb `queue`: waits for an agent. The queue assigns an agent to the caller; this step rings that agent, connects
 * the two, and reports the result to the queue. An agent who called in (`serve`) is connected through a mix instead.
 * `sounds.ts` plays music and announcements during the wait.
 */
import type { JsonObject } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import { durationMs, list, mapIn } from '../../language/steps/arguments.ts';
import { Conversation, conversationOptions, musicOf } from '../../language/steps/conversation.ts';
import { ensureAnswered, hasEnded } from '../../language/steps/playback.ts';
import { type RingOptions, ring, ringOptions } from '../../language/steps/ring.ts';
import {
  defineStep,
  namedOutcome,
  type ResultOf,
  type StepContext,
  type StepEvent,
  type Wait,
  type Waiting,
  type Written,
} from '../../language/steps/step.ts';
import { untilOneLeaves } from '../../language/steps/talk.ts';
import type { QueueArgs, QueueOutcome } from '../../language/steps/verb-types.ts';
import { nextEvent, until } from '../../language/steps/waiting.ts';
import { callbackKey, keepPlace, usualNumber } from './callback.ts';
import { flowToHear, QueueSounds } from './sounds.ts';

export const step = defineStep<QueueArgs, QueueOutcome>({
  verb: 'queue',
  calls: ({ waiting }) => [flowToHear(waiting)?.flow ?? []].flat(),
  async *run(context) {
    const { name, agents, wait_for_agents: waits, max_size, music, priority, waiting, callback } = context.input;
    const options = await ringOptions(context, context.input);
    const audio = await musicOf(context, music);
    yield* ensureAnswered(context);
    const memberId = context.enterVenue('queue', name, {
      priority,
      ...(agents === undefined ? { waits } : { agents }),
      ...(waiting !== undefined && { figures: true }),
      ...(max_size !== undefined && { max_size }),
      ...(callback !== undefined && { callback_to: usualNumber(context) }),
    });
    const result = yield* waitForAgent(context, memberId, options, new QueueSounds(context, audio));
    context.exitVenue(memberId);
    return result;
  },
});

/** Outcomes of the waiting flow with which the caller leaves the queue. */
const waysOut = ({ waiting, outcomes, callback }: Written<QueueArgs>): string[] =>
  waiting === undefined ? [] : [...list(outcomes).map(String), ...(callback === undefined ? [] : ['callback'])];

async function* waitForAgent(
  context: StepContext<QueueArgs>,
  memberId: string,
  options: RingOptions,
  sounds: QueueSounds,
): Waiting<ResultOf<QueueOutcome>> {
  const { input, leg } = context;
  const { timeout, leave_key: leaveKey } = input;
  const enteredMs = context.now();
  const dueMs = timeout === undefined ? undefined : enteredMs + durationMs(timeout);
  const keys = `${leaveKey ?? ''}${callbackKey(input) ?? ''}`;
  const wait: Wait = keys === '' ? {} : { digits: { claims: keys } };
  const ways = waysOut(input);
  const waitedS = (): number => Math.round((context.now() - enteredMs) / 1000);
  async function* leave(outcome: QueueOutcome, more: JsonObject = {}): Waiting<ResultOf<QueueOutcome>> {
    await sounds.stop();
    leg.takeTypedAhead();
    const isCallback = outcome === 'callback' && input.callback !== undefined;
    const left = isCallback ? yield* keepPlace(context, memberId, more['output']) : { outcome, more };
    return { outcome: left.outcome, result: { agent: null, waited: waitedS(), duration: 0, ...left.more } };
  }
  let left: { outcome: QueueOutcome; more?: JsonObject } | undefined;
  /** True if the caller leaves the queue with this event; `left` then has the outcome. */
  const isLeaving = (event: StepEvent): boolean => {
    if (event.type === 'digit' && event.digit === leaveKey) left = { outcome: 'abandoned' };
    else if (event.type === 'digit' && event.digit === callbackKey(input)) left = { outcome: 'callback' };
    else if (event.type === 'branch_returned' && ways.includes(event.outcome)) {
      left = { outcome: namedOutcome(event.outcome), more: { output: event.output } };
    } else sounds.receive(event);
    return left !== undefined;
  };
  sounds.start();
  for (let attempts = 0; ; ) {
    if (dueMs !== undefined && dueMs <= context.now()) return yield* leave('timeout');
    const event = yield { ...wait, ...until(context, dueMs) };
    if (isLeaving(event)) return yield* leave(left!.outcome, left!.more);
    if (event.type !== 'venue' || event.memberId !== memberId) continue;
    const data = mapIn(event.data);
    if (event.name === 'full' || event.name === 'no_agents') return yield* leave(event.name);
    if (event.name === 'position') await sounds.announce(data);
    if (event.name === 'connected') {
      const waited = waitedS();
      await sounds.stop();
      const duration = yield* talkInMix(context, memberId, String(data['mix_id']));
      return { outcome: 'dequeued', result: { agent: String(data['agent']), waited, duration } };
    }
    if (event.name !== 'turn') continue;
    const agent = String(data['agent']);
    attempts += 1;
    const bridge_id = `${context.call['id']}:${context.runNumber}:${attempts}`;
    const conversation = new Conversation(context, await conversationOptions(context, { ...input, bridge_id }));
    conversation.reportInitiated(agent);
    const observer = {
      wait: () => wait,
      onRinging: ({ to }: { to: string }) => context.reportBridge({ state: 'bridging', to }),
      onEvent: isLeaving,
    };
    const rung = yield* ring(context, { ...options, groups: [[agent]] }, observer);
    if (rung.how === 'cancelled') {
      context.reportBridge({ state: 'failed', to: agent });
      return yield* leave(left!.outcome, left!.more);
    }
    if (rung.how === 'failed') {
      // The agent did not answer: the caller continues to wait.
      context.reportBridge({ state: 'failed', to: agent, cause: rung.cause });
      context.sendToVenue(memberId, 'agent_free', { agent });
      continue;
    }
    const waited = waitedS();
    await sounds.stop();
    if (!(yield* conversation.playToCaller(rung.peer, await callerWhisper(context)))) {
      // The agent hung up during the whisper to the caller.
      context.reportBridge({ state: 'failed', to: agent, cause: conversation.cause });
      context.sendToVenue(memberId, 'agent_free', { agent });
      sounds.startAgain();
      continue;
    }
    context.sendToVenue(memberId, 'answered', { agent });
    conversation.connect(rung.peer);
    yield* untilOneLeaves(conversation);
    const { durationS: duration, cause } = conversation;
    return { outcome: 'dequeued', result: { agent, waited, duration, cause: cause.code } };
  }
}

const callerWhisper = async (context: StepContext<QueueArgs>): Promise<AudioItem[]> =>
  context.input.caller_whisper === undefined ? [] : context.prompt(context.input.caller_whisper);

/** Connects the caller to an agent who called in, until the agent leaves. Returns the duration in seconds. */
async function* talkInMix(context: StepContext<QueueArgs>, memberId: string, mixId: string): Waiting<number> {
  const { leg, input } = context;
  const hasParted = (event: StepEvent): boolean =>
    event.type === 'venue' && event.memberId === memberId && event.name === 'parted';
  const whisper = await callerWhisper(context);
  const playId = whisper.length === 0 ? undefined : leg.play(whisper);
  while (playId !== undefined) {
    const event = yield {};
    if (hasEnded(event, playId)) break;
    if (!hasParted(event)) continue;
    leg.stopPlay(playId);
    return 0;
  }
  const startedMs = context.now();
  leg.send({ type: 'join', mixId });
  if (input.record !== false) {
    const started = context.background({ type: 'recording', action: 'start' });
    if ('fault' in started) context.log('warn', 'the conversation is not recorded', { code: started.fault.code });
  }
  yield* nextEvent('venue', hasParted);
  leg.send({ type: 'leave' });
  if (input.record !== false) context.background({ type: 'recording', action: 'stop' });
  return Math.round((context.now() - startedMs) / 1000);
}
