/**
 * Audio for a caller in a queue: music with announcements, or the waiting flow, which runs in parallel to the step.
 *
 * Invariants
 *  - only one of them plays at a time, and none after the caller has left or talks to the agent;
 *  - the waiting flow starts with the first `position` event and restarts when it is done; if it fails, or ends within
 *    a second, music plays instead.
 */
import { type Fault, FaultError } from '../../base/core/fault.ts';
import type { JsonObject } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import { mapIn } from '../../language/steps/arguments.ts';
import { Sound } from '../../language/steps/playback.ts';
import type { StepContext, StepEvent } from '../../language/steps/step.ts';
import type { QueueArgs } from '../../language/steps/verb-types.ts';

/** Name of the branch that runs the waiting flow. */
const WAITING = 'waiting';
const SHORTEST_ROUND_MS = 1000;

/** Returns the argument `waiting` in its long form. */
export function flowToHear(written: unknown): { flow: string; input: JsonObject } | undefined {
  if (written === undefined) return undefined;
  const { flow = '', input } = typeof written === 'string' ? { flow: written } : mapIn(written);
  return { flow: String(flow), input: mapIn(input) };
}

export class QueueSounds {
  readonly #context: StepContext<QueueArgs>;
  readonly #music: Sound;
  #announcementId: string | undefined;
  readonly #waiting: ReturnType<typeof flowToHear>;
  #begunMs: number | undefined;

  constructor(context: StepContext<QueueArgs>, music: readonly AudioItem[]) {
    this.#context = context;
    this.#music = new Sound(context.leg, music);
    this.#waiting = flowToHear(context.input.waiting);
  }

  start(): void {
    if (!this.#waiting) this.#music.start();
  }

  /** Restarts the audio after an agent hung up before the conversation. */
  startAgain(): void {
    if (!this.#waiting || this.#startFlow()) this.#music.start();
  }

  /** Handles an event that ends neither the wait nor the ringing. */
  receive(event: StepEvent): void {
    if (event.type === 'play_ended' && event.playId === this.#announcementId) {
      this.#announcementId = undefined;
      this.#music.start();
    } else if (event.type === 'branch_returned') this.#onFlowReturned(event.outcome);
    else if (event.type === 'venue' && event.name === 'position' && this.#begunMs === undefined) {
      const failure = this.#startFlow();
      if (failure) throw new FaultError(failure);
    }
  }

  /** Plays the announcement `position`; `figures` (position and others) are `result` in its templates. */
  async announce(figures: JsonObject): Promise<void> {
    const { input, leg } = this.#context;
    if (input.position === undefined || this.#waiting) return;
    const announcement = await this.#context.prompt(await this.#context.render(input.position, '/position', figures));
    if (announcement.length === 0) return;
    this.#stopPlays();
    this.#announcementId = leg.play(announcement);
  }

  async stop(): Promise<void> {
    this.#stopPlays();
    if (this.#waiting) await this.#context.endBranch(WAITING);
  }

  #onFlowReturned(outcome: string): void {
    if (outcome === 'error') this.#context.log('warn', 'the waiting flow broke', {});
    const isShort = this.#context.now() - (this.#begunMs ?? 0) < SHORTEST_ROUND_MS;
    if (outcome === 'error' || isShort || this.#startFlow()) this.#music.start();
  }

  #startFlow(): Fault | undefined {
    if (!this.#waiting) return undefined;
    this.#begunMs = this.#context.now();
    return this.#context.startBranch(WAITING, this.#waiting.flow, this.#waiting.input);
  }

  #stopPlays(): void {
    this.#music.stop();
    if (this.#announcementId !== undefined) this.#context.leg.stopPlay(this.#announcementId);
    this.#announcementId = undefined;
  }
}
