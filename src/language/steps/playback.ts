/** Playback on a leg: prompts that a step waits for, and music that plays in the background. */
import { FaultError, fault } from '../../base/core/fault.ts';
import type { Json } from '../../base/core/json.ts';
import type { AudioItem } from '../../base/core/leg.ts';
import type { SipHeaders } from '../../base/core/sip-headers.ts';
import type { StepContext, StepEvent, StepLegBase, Wait, Waiting } from './step.ts';
import { nextEvent } from './waiting.ts';

type Step = Pick<StepContext, 'leg' | 'prompt'>;

/** Answers an inbound call if it is still ringing. With `early`, starts early media instead. */
export async function* ensureAnswered(
  { leg }: Step,
  { early = false, headers }: { early?: boolean; headers?: SipHeaders | undefined } = {},
): Waiting<void> {
  if (leg.state !== 'ringing' || leg.direction === 'outbound') return;
  if (early) return leg.send({ type: 'progress' });
  leg.send({ type: 'answer', ...(headers && { headers }) });
  yield* nextEvent('answered');
}

/** Plays a prompt to its end or, if `digits` is set, to the first accepted digit (`interrupted`). */
export async function* playPrompt(
  context: Step,
  prompt: Json,
  digits?: Wait['digits'],
): Waiting<'finished' | 'interrupted'> {
  return yield* playAudio(context, await context.prompt(prompt), digits);
}

export async function* playAudio(
  { leg }: Step,
  audio: AudioItem[],
  digits?: Wait['digits'],
): Waiting<'finished' | 'interrupted'> {
  if (audio.length === 0) return 'finished';
  const playId = leg.play(audio);
  for (;;) {
    const event = yield digits ? { digits } : {};
    if (event.type === 'digit') {
      leg.stopPlay(playId);
      return 'interrupted';
    }
    if (hasEnded(event, playId)) return 'finished';
  }
}

/**
 * True if this event ends the play; throws if the play failed. False for a play stopped by the end of the leg, because
 * the hang-up follows.
 */
export function hasEnded(event: StepEvent, playId: string | undefined): boolean {
  if (event.type !== 'play_ended' || event.playId !== playId || event.reason === 'stopped') return false;
  if (event.reason === 'failed') {
    throw new FaultError(event.fault ?? fault('play_failed', 'the prompt could not be played'));
  }
  return true;
}

/** Looped background audio: music or a ringing tone. `start` and `stop` are idempotent. */
export class Sound {
  readonly #leg: StepLegBase;
  readonly #audio: readonly AudioItem[];
  #playId: string | undefined;

  constructor(leg: StepLegBase, audio: readonly AudioItem[]) {
    this.#leg = leg;
    this.#audio = audio;
  }

  start(): void {
    if (this.#audio.length > 0) this.#playId ??= this.#leg.play([...this.#audio], { repeat: true });
  }

  stop(): void {
    if (this.#playId !== undefined) this.#leg.stopPlay(this.#playId);
    this.#playId = undefined;
  }
}
