/**
 * Waiting for an agent. The queue says whose turn it is and with which agent; this step rings that agent, lets the two
 * talk, and reports the result to the queue.
 */
import type { AudioItem } from '../core/leg.ts';
import { durationMs, mapIn } from './arguments.ts';
import { Conversation, conversationOptions, musicOf } from './conversation.ts';
import { ensureAnswered, Sound } from './playback.ts';
import { type RingOptions, ring, ringOptions } from './ring.ts';
import { defineStep, type StepContext, type StepEvent, type StepResult, type Wait, type Waiting } from './step.ts';
import type { QueueArgs } from './step-arguments.ts';
import { untilOneLeaves } from './talk.ts';
import { until } from './waiting.ts';

export const queue = defineStep<QueueArgs>({
  verb: 'queue',
  activity: 'queue',
  outcomes: ({ timeout, leave_key }) => [
    'dequeued',
    ...(timeout === undefined ? [] : ['timeout']),
    'full',
    ...(leave_key === undefined ? [] : ['abandoned']),
    'error',
  ],
  success: 'dequeued',
  negativeOutcomes: ['full', 'abandoned'],
  media: true,
  lazy: ['position'],
  prompts: ['/music', '/position', '/whisper', '/hold_music'],
  async *run(context) {
    const { name, agents, max_size, music } = context.input;
    const options = await ringOptions(context, context.input);
    const audio = await musicOf(context, music);
    yield* ensureAnswered(context);
    const memberId = context.enterVenue('queue', name, { agents, ...(max_size !== undefined && { max_size }) });
    const result = yield* waitForAgent(context, memberId, options, audio);
    context.exitVenue(memberId);
    return result;
  },
});

async function* waitForAgent(
  context: StepContext<QueueArgs>,
  memberId: string,
  options: RingOptions,
  audio: readonly AudioItem[],
): Waiting<StepResult> {
  const { input, leg } = context;
  const { timeout, leave_key: leaveKey } = input;
  const music = new Sound(leg, audio);
  const enteredMs = context.now();
  const dueMs = timeout === undefined ? undefined : enteredMs + durationMs(timeout);
  const wait: Wait = leaveKey === undefined ? {} : { digits: { claims: leaveKey } };
  let announcementId: string | undefined;
  const waitedS = (): number => Math.round((context.now() - enteredMs) / 1000);
  const stopSounds = (): void => {
    music.stop();
    if (announcementId !== undefined) leg.stopPlay(announcementId);
    announcementId = undefined;
  };
  const leave = (outcome: string): StepResult => {
    stopSounds();
    leg.takeTypedAhead();
    return { outcome, result: { agent: null, waited: waitedS(), duration: 0 } };
  };
  /** The music goes on after an announcement. */
  const isLeaving = (event: StepEvent): boolean => {
    if (event.type === 'play_ended' && event.playId === announcementId) {
      announcementId = undefined;
      music.start();
    }
    return event.type === 'digit' && event.digit === leaveKey;
  };
  const announce = async (position: number, waiting: number): Promise<void> => {
    if (input.position === undefined) return;
    const announcement = await context.prompt(await context.render(input.position, { position, waiting }));
    if (announcement.length === 0) return;
    stopSounds();
    announcementId = leg.play(announcement);
  };
  music.start();
  for (let attempts = 0; ; ) {
    if (dueMs !== undefined && dueMs <= context.now()) return leave('timeout');
    const event = yield { ...wait, ...until(context, dueMs) };
    if (isLeaving(event)) return leave('abandoned');
    if (event.type !== 'venue' || event.ticket !== memberId) continue;
    const data = mapIn(event.data);
    if (event.name === 'full') return leave('full');
    if (event.name === 'position') await announce(Number(data['position']), Number(data['waiting']));
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
      return leave('abandoned');
    }
    if (rung.how === 'failed') {
      // The agent did not answer: the caller waits on.
      context.reportBridge({ state: 'failed', to: agent, cause: rung.cause });
      context.sendToVenue(memberId, 'agent_free', { agent });
      continue;
    }
    context.sendToVenue(memberId, 'answered', { agent });
    const waited = waitedS();
    stopSounds();
    conversation.connect(rung.peer);
    yield* untilOneLeaves(conversation);
    const { durationS: duration, cause } = conversation;
    return { outcome: 'dequeued', result: { agent, waited, duration, cause: cause.code } };
  }
}
