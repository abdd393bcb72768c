/**
 * The verb `serve`: an agent who called in receives the callers of a queue one after the other, each through a mix.
 * `queue` is the verb of those callers.
 *
 * Invariants
 *  - the agent hears one source at a time: music, the whisper, or the caller;
 *  - after a conversation the queue assigns no caller to the agent until the step sends `ready`.
 */
import type { JsonObject } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import { durationMs, mapIn } from '../../language/steps/arguments.ts';
import { ensureAnswered, hasEnded, Sound } from '../../language/steps/playback.ts';
import {
  defineStep,
  type ResultOf,
  type StepContext,
  type StepEvent,
  type Waiting,
} from '../../language/steps/step.ts';
import type { ServeArgs, ServeOutcome } from '../../language/steps/verb-types.ts';
import { until } from '../../language/steps/waiting.ts';

const BEEP: AudioItem = { type: 'tone', frequencyHz: 440, durationMs: 200 };

export const step = defineStep<ServeArgs, ServeOutcome>({
  verb: 'serve',
  async *run(context) {
    const { queue, music, paused, ready } = context.input;
    yield* ensureAnswered(context);
    const sounds = {
      music: music === undefined ? [] : await context.prompt(music),
      ready: ready === undefined ? [] : await context.prompt(ready),
      paused: paused === undefined ? [BEEP] : await context.prompt(paused),
    };
    const memberId = context.enterVenue('queue', queue, { serves: true });
    const result = yield* new Agent(context, memberId, sounds).work();
    context.exitVenue(memberId);
    return result;
  },
});

type AgentSounds = Readonly<Record<'music' | 'ready' | 'paused', AudioItem[]>>;

class Agent {
  readonly #context: StepContext<ServeArgs>;
  readonly #memberId: string;
  readonly #sounds: AgentSounds;
  readonly #music: Sound;
  #state: 'ready' | 'whisper' | 'talking' | 'wrap_up' | 'paused' = 'ready';
  /** True if the agent is paused after the current conversation. */
  #pausesNext = false;
  /** Play id of the whisper, or of the announcement of the state. */
  #announcementId: string | undefined;
  #wrapUpUntilMs: number | undefined;
  /** Deadline of the wait for a caller (`timeout`). */
  #waitUntilMs: number | undefined;
  #connectedMs = 0;
  #served = 0;
  #talkedMs = 0;

  constructor(context: StepContext<ServeArgs>, memberId: string, sounds: AgentSounds) {
    this.#context = context;
    this.#memberId = memberId;
    this.#sounds = sounds;
    this.#music = new Sound(context.leg, sounds.music);
  }

  async *work(): Waiting<ResultOf<ServeOutcome>> {
    const { pause_key, leave_key, end_key = '', once } = this.#context.input;
    const claims = `${pause_key}${leave_key}${end_key}`;
    this.#await();
    for (;;) {
      const event = yield { digits: { claims }, ...until(this.#context, this.#wrapUpUntilMs ?? this.#waitUntilMs) };
      if (event.type === 'digit' && event.digit === leave_key) return this.#leave('left');
      if (event.type === 'timeout' && this.#wrapUpUntilMs === undefined) return this.#leave('timeout');
      if (event.type === 'digit') this.#onKey(event.digit);
      else if (event.type === 'timeout') this.#becomeReady();
      else if (hasEnded(event, this.#announcementId)) this.#onAnnounced();
      else if (event.type === 'venue') await this.#onQueue(event);
      if (once && this.#served > 0 && this.#state !== 'talking') return this.#leave('served');
    }
  }

  #onKey(digit: string): void {
    const { pause_key, end_key } = this.#context.input;
    if (digit === end_key && this.#state === 'talking') {
      this.#send('release');
      this.#afterCaller();
    } else if (digit !== pause_key) return;
    else if (this.#state === 'paused') this.#becomeReady();
    else if (this.#state === 'ready' || this.#state === 'wrap_up') this.#pause();
    else this.#pausesNext = !this.#pausesNext;
  }

  async #onQueue({ name, data }: Extract<StepEvent, { type: 'venue' }>): Promise<void> {
    if (name === 'turn') await this.#whisper(mapIn(data));
    else if (name === 'connected') this.#connect(String(mapIn(data)['mix_id']));
    else if (name === 'parted') this.#afterCaller();
  }

  async #whisper(caller: JsonObject): Promise<void> {
    const { input } = this.#context;
    // The queue assigned this caller before it received `pause`: the agent serves the caller first.
    this.#pausesNext ||= this.#state === 'paused';
    this.#state = 'whisper';
    this.#waitUntilMs = undefined;
    const whisper =
      input.whisper === undefined
        ? []
        : await this.#context.prompt(await this.#context.render(input.whisper, '/whisper', caller));
    this.#silence();
    if (whisper.length > 0) this.#announcementId = this.#context.leg.play(whisper);
    else this.#send('answered');
  }

  #onAnnounced(): void {
    this.#announcementId = undefined;
    if (this.#state === 'whisper') this.#send('answered');
    else if (this.#state === 'ready') this.#music.start();
  }

  #connect(mixId: string): void {
    this.#state = 'talking';
    this.#served += 1;
    this.#connectedMs = this.#context.now();
    this.#context.leg.send({ type: 'join', mixId });
  }

  /** Continues after the caller has left or was released: wrap-up, pause or ready. */
  #afterCaller(): void {
    if (this.#state !== 'talking' && this.#state !== 'whisper') return;
    const hasTalked = this.#state === 'talking';
    this.#hangUp();
    if (hasTalked && this.#context.input.once) {
      this.#state = 'wrap_up';
      return;
    }
    const wrapUpMs = hasTalked ? durationMs(this.#context.input.wrap_up) : 0;
    if (this.#pausesNext) this.#pause();
    else if (wrapUpMs === 0) this.#becomeReady();
    else {
      this.#state = 'wrap_up';
      this.#wrapUpUntilMs = this.#context.now() + wrapUpMs;
    }
  }

  #hangUp(): void {
    this.#silence();
    if (this.#state !== 'talking') return;
    this.#context.leg.send({ type: 'leave' });
    this.#talkedMs += this.#context.now() - this.#connectedMs;
  }

  #becomeReady(): void {
    this.#state = 'ready';
    this.#wrapUpUntilMs = undefined;
    this.#await();
    this.#send('ready');
  }

  /** Starts the wait for a caller. */
  #await(): void {
    const { timeout } = this.#context.input;
    if (timeout !== undefined) this.#waitUntilMs = this.#context.now() + durationMs(timeout);
    this.#announce(this.#sounds.ready);
  }

  #pause(): void {
    this.#state = 'paused';
    this.#pausesNext = false;
    this.#wrapUpUntilMs = undefined;
    this.#waitUntilMs = undefined;
    this.#send('pause');
    this.#announce(this.#sounds.paused);
  }

  #leave(outcome: 'left' | 'served' | 'timeout'): ResultOf<ServeOutcome> {
    this.#hangUp();
    this.#context.leg.takeTypedAhead();
    return { outcome, result: { served: this.#served, talked: Math.round(this.#talkedMs / 1000) } };
  }

  /** Plays an announcement; in the state `ready`, music follows. */
  #announce(audio: AudioItem[]): void {
    this.#silence();
    if (audio.length > 0) this.#announcementId = this.#context.leg.play(audio);
    else if (this.#state === 'ready') this.#music.start();
  }

  #silence(): void {
    this.#music.stop();
    if (this.#announcementId !== undefined) this.#context.leg.stopPlay(this.#announcementId);
    this.#announcementId = undefined;
  }

  #send(name: 'answered' | 'release' | 'ready' | 'pause'): void {
    this.#context.sendToVenue(this.#memberId, name, {});
  }
}
