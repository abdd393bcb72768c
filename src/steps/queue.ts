/**
 * Waiting for an agent. The place says whose turn it is and with whom; this step rings that agent, lets the two talk, and
 * tells the place what came of it.
 */
import { isObject, type JsonObject } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import { durationMs, list, text } from './arguments.ts';
import { Conversation, conversationOptions, musicOf } from './conversation.ts';
import { ensureAnswered } from './playback.ts';
import { type RingOptions, ring, ringOptions } from './ring.ts';
import { defineStep, type StepContext, type StepEvent, type StepResult, type Wait } from './step.ts';
import { numberIn, textIn } from './venue-event.ts';

const RING_TIMEOUT_MS = 20_000;

export const queue = defineStep({
  verb: 'queue',
  activity: 'queue',
  outcomes(args) {
    const written = isObject(args) ? args : {};
    return [
      'dequeued',
      ...(written['timeout'] === undefined ? [] : ['timeout']),
      'full',
      ...(written['leave_key'] === undefined ? [] : ['abandoned']),
      'error',
    ];
  },
  success: 'dequeued',
  negativeOutcomes: ['full', 'abandoned'],
  waits: true,
  media: true,
  needsCall: true,
  lazy: ['position'],
  prompts: ['/music', '/position', '/whisper', '/hold_music'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    const { name, agents, max_size } = args;
    const order = await ringOptions(context, args, { ringTimeoutMs: RING_TIMEOUT_MS });
    const music = await musicOf(context, args['music']);
    yield* ensureAnswered(context);
    const options = { agents: list(agents), ...(max_size === undefined ? {} : { max_size }) };
    const ticket = context.enterVenue('queue', text(name), options);
    const place = new QueuedCaller(context, args, { ticket, order, music });
    const result = yield* place.wait();
    context.exitVenue(ticket);
    return result;
  },
});

class QueuedCaller {
  readonly #context: StepContext;
  readonly #args: JsonObject;
  readonly #ticket: string;
  readonly #order: RingOptions;
  readonly #music: readonly AudioItem[];
  readonly #leaveKey: string;
  readonly #enteredMs: number;
  readonly #dueMs: number | undefined;
  #musicId: string | undefined;
  #sayingId: string | undefined;
  #attempts = 0;

  constructor(
    context: StepContext,
    args: JsonObject,
    { ticket, order, music }: { ticket: string; order: RingOptions; music: readonly AudioItem[] },
  ) {
    this.#context = context;
    this.#args = args;
    this.#ticket = ticket;
    this.#order = order;
    this.#music = music;
    this.#leaveKey = text(args['leave_key']);
    this.#enteredMs = context.now();
    this.#dueMs = args['timeout'] === undefined ? undefined : context.now() + durationMs(args['timeout'], 0);
  }

  async *wait(): AsyncGenerator<Wait, StepResult, StepEvent> {
    this.#sound();
    for (;;) {
      if (this.#isDue) return this.#over('timeout');
      const event = yield this.#patience();
      this.#onPlayEnded(event);
      if (this.#leaves(event)) return this.#over('abandoned');
      if (event.type !== 'venue' || event.ticket !== this.#ticket) continue;
      if (event.name === 'full') return this.#over('full');
      if (event.name === 'position') {
        await this.#say({
          position: numberIn(event.data, 'position'),
          waiting: numberIn(event.data, 'waiting'),
        });
      }
      if (event.name !== 'turn') continue;
      const served = yield* this.#serve(textIn(event.data, 'agent'));
      if (served) return served;
    }
  }

  /** Undefined: the agent did not answer, the caller waits on. */
  async *#serve(agent: string): AsyncGenerator<Wait, StepResult | undefined, StepEvent> {
    const context = this.#context;
    this.#attempts += 1;
    const bridgeId = `${text(context.call['id'])}:${context.runNumber}:${this.#attempts}`;
    const conversation = new Conversation(
      context,
      await conversationOptions(context, { ...this.#args, bridge_id: bridgeId }),
    );
    conversation.reportInitiated(agent);
    const rung = yield* ring(
      context,
      { ...this.#order, groups: [[agent]] },
      {
        wait: () => (this.#leaveKey === '' ? {} : { digits: { claims: this.#leaveKey } }),
        onRinging: ({ to }) => context.reportBridge({ state: 'bridging', to }),
        onEvent: (event) => {
          this.#onPlayEnded(event);
          return this.#leaves(event);
        },
      },
    );
    if (rung.how === 'given_up') {
      context.reportBridge({ state: 'failed', to: agent });
      return this.#over('abandoned');
    }
    if (rung.how === 'failed') {
      context.reportBridge({ state: 'failed', to: agent, cause: rung.cause });
      context.sendToVenue(this.#ticket, 'agent_free', { agent });
      return undefined;
    }
    context.sendToVenue(this.#ticket, 'answered', { agent });
    const waited = this.#waitedS;
    this.#silence();
    conversation.connect(rung.party);
    yield* conversation.untilOneLeaves();
    const { durationS, cause } = conversation;
    return { outcome: 'dequeued', result: { agent, waited, duration: durationS, cause: cause.code } };
  }

  get #isDue(): boolean {
    return this.#dueMs !== undefined && this.#dueMs <= this.#context.now();
  }

  get #waitedS(): number {
    return Math.round((this.#context.now() - this.#enteredMs) / 1000);
  }

  #patience(): Wait {
    return {
      ...(this.#leaveKey === '' ? {} : { digits: { claims: this.#leaveKey } }),
      ...(this.#dueMs === undefined ? {} : { withinMs: Math.max(0, this.#dueMs - this.#context.now()) }),
    };
  }

  #leaves(event: StepEvent): boolean {
    return event.type === 'digit' && event.digit === this.#leaveKey;
  }

  #over(outcome: string): StepResult {
    this.#silence();
    this.#context.leg.takeTypedAhead();
    return { outcome, result: { agent: null, waited: this.#waitedS, duration: 0 } };
  }

  async #say(result: JsonObject): Promise<void> {
    const written = this.#args['position'];
    if (written === undefined) return;
    const context = this.#context;
    const audio = await context.prompt(await context.render(written, result));
    if (audio.length === 0) return;
    this.#silence();
    this.#sayingId = context.leg.play(audio);
  }

  #onPlayEnded(event: StepEvent): void {
    if (event.type !== 'play_ended' || event.playId !== this.#sayingId) return;
    this.#sayingId = undefined;
    this.#sound();
  }

  #sound(): void {
    this.#musicId ??= this.#context.leg.play([...this.#music], { repeat: true });
  }

  #silence(): void {
    for (const playId of [this.#musicId, this.#sayingId]) {
      if (playId !== undefined) this.#context.leg.stopPlay(playId);
    }
    this.#musicId = undefined;
    this.#sayingId = undefined;
  }
}
