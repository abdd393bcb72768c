/** The caller's line as media verbs need it: open, and with something to hear. */
import { type Fault, fault } from '../core/fault.ts';
import type { Json } from '../core/json.ts';
import type { AudioItem } from '../core/leg.ts';
import type { StepContext, StepEvent, Wait } from './step.ts';
import { nextEvent } from './waiting.ts';

/** Answers an inbound call that nobody answered yet; with `early`, prompts are heard before the answer instead. */
export async function* ensureAnswered(context: StepContext, early = false): AsyncGenerator<Wait, void, StepEvent> {
  const { leg } = context;
  if (leg.state !== 'ringing' || leg.direction === 'outbound') return;
  if (early) return leg.send({ type: 'progress' });
  leg.send({ type: 'answer' });
  yield* nextEvent('answered');
}

export type PlaybackResult = { how: 'whole' } | { how: 'interrupted' } | { how: 'broken'; fault: Fault };

/**
 * Plays a prompt to its end, or to the first digit where `digits` says that these are taken.
 * A play that is stopped by the end of the line is not over for us: the hang-up follows.
 */
export async function* playPrompt(
  context: StepContext,
  prompt: Json,
  digits?: Wait['digits'],
): AsyncGenerator<Wait, PlaybackResult, StepEvent> {
  return yield* playAudio(context, await context.prompt(prompt), digits);
}

export async function* playAudio(
  context: StepContext,
  audio: AudioItem[],
  digits?: Wait['digits'],
): AsyncGenerator<Wait, PlaybackResult, StepEvent> {
  if (audio.length === 0) return { how: 'whole' };
  const playId = context.leg.play(audio);
  for (;;) {
    const event = yield digits ? { digits } : {};
    if (event.type === 'digit') {
      context.leg.stopPlay(playId);
      return { how: 'interrupted' };
    }
    if (event.type !== 'play_ended' || event.playId !== playId || event.reason === 'stopped') continue;
    if (event.reason === 'finished') return { how: 'whole' };
    return { how: 'broken', fault: event.fault ?? fault('play_failed', 'the prompt could not be played') };
  }
}
