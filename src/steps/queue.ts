/**
 * Waiting for an agent. The queue says whose turn it is and with which agent; this step rings that agent, lets the two
 * talk, and tells the queue what came of it.
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
    const ring = await ringOptions(context, context.input);
    const audio = await musicOf(context, music);
    yield* ensureAnswered(context);
    const memberId = context.enterVenue('queue', name, { agents, ...(max_size !== undefined && { max_size }) });
    const result = yield* new QueuedCaller(context, memberId, ring, audio).wait();
    context.exitVenue(memberId);
    return result;
  },
});

class QueuedCaller {
  readonly #context: StepContext<QueueArgs>;
  readonly #memberId: string;
  readonly #ring: RingOptions;
  readonly #music: Sound;
  readonly #enteredMs: number;
  readonly #dueMs: number | undefined;
  #announcementId: string | undefined;
  #attempts = 0;

  constructor(context: StepContext<QueueArgs>, memberId: string, ring: RingOptions, music: readonly AudioItem[]) {
    const { timeout } = context.input;
    this.#context = context;
    this.#memberId = memberId;
    this.#ring = ring;
    this.#music = new Sound(context.leg, music);
    this.#enteredMs = context.now();
    this.#dueMs = timeout === undefined ? undefined : context.now() + durationMs(timeout);
  }

  async *wait(): Waiting<StepResult> {
    this.#music.start();
    for (;;) {
      if (this.#dueMs !== undefined && this.#dueMs <= this.#context.now()) return this.#leave('timeout');
      const event = yield { ...this.#digits, ...until(this.#context, this.#dueMs) };
      if (this.#isLeaving(event)) return this.#leave('abandoned');
      if (event.type !== 'venue' || event.ticket !== this.#memberId) continue;
      const data = mapIn(event.data);
      if (event.name === 'full') return this.#leave('full');
      if (event.name === 'position') await this.#announce(Number(data['position']), Number(data['waiting']));
      if (event.name !== 'turn') continue;
      const served = yield* this.#callAgent(String(data['agent']));
      if (served) return served;
    }
  }

  /** Undefined: the agent did not answer, the caller waits on. */
  async *#callAgent(agent: string): Waiting<StepResult | undefined> {
    const context = this.#context;
    this.#attempts += 1;
    const bridge_id = `${context.call['id']}:${context.runNumber}:${this.#attempts}`;
    const conversation = new Conversation(context, await conversationOptions(context, { ...context.input, bridge_id }));
    conversation.reportInitiated(agent);
    const rung = yield* ring(
      context,
      { ...this.#ring, groups: [[agent]] },
      {
        wait: () => this.#digits,
        onRinging: ({ to }) => context.reportBridge({ state: 'bridging', to }),
        onEvent: (event) => this.#isLeaving(event),
      },
    );
    if (rung.how === 'cancelled') {
      context.reportBridge({ state: 'failed', to: agent });
      return this.#leave('abandoned');
    }
    if (rung.how === 'failed') {
      context.reportBridge({ state: 'failed', to: agent, cause: rung.cause });
      context.sendToVenue(this.#memberId, 'agent_free', { agent });
      return undefined;
    }
    context.sendToVenue(this.#memberId, 'answered', { agent });
    const waited = this.#waitedS;
    this.#stopSounds();
    conversation.connect(rung.peer);
    yield* untilOneLeaves(conversation);
    const { durationS: duration, cause } = conversation;
    return { outcome: 'dequeued', result: { agent, waited, duration, cause: cause.code } };
  }

  get #waitedS(): number {
    return Math.round((this.#context.now() - this.#enteredMs) / 1000);
  }

  get #digits(): Pick<Wait, 'digits'> {
    const { leave_key: claims } = this.#context.input;
    return claims === undefined ? {} : { digits: { claims } };
  }

  /** The music goes on after an announcement. */
  #isLeaving(event: StepEvent): boolean {
    if (event.type === 'play_ended' && event.playId === this.#announcementId) {
      this.#announcementId = undefined;
      this.#music.start();
    }
    return event.type === 'digit' && event.digit === this.#context.input.leave_key;
  }

  #leave(outcome: string): StepResult {
    this.#stopSounds();
    this.#context.leg.takeTypedAhead();
    return { outcome, result: { agent: null, waited: this.#waitedS, duration: 0 } };
  }

  async #announce(position: number, waiting: number): Promise<void> {
    const context = this.#context;
    const { position: written } = context.input;
    if (written === undefined) return;
    const audio = await context.prompt(await context.render(written, { position, waiting }));
    if (audio.length === 0) return;
    this.#stopSounds();
    this.#announcementId = context.leg.play(audio);
  }

  #stopSounds(): void {
    this.#music.stop();
    if (this.#announcementId !== undefined) this.#context.leg.stopPlay(this.#announcementId);
    this.#announcementId = undefined;
  }
}
