import type { AudioItem } from '../../base/core/leg.ts';
import { spokenBy } from '../../base/core/voice.ts';
import { ensureAnswered, playAudio } from '../../language/steps/playback.ts';
import { defineStep } from '../../language/steps/step.ts';
import type { PlayArgs, PlayOutcome } from '../../language/steps/verb-types.ts';

export const step = defineStep<PlayArgs, PlayOutcome>({
  verb: 'play',
  async *run(context) {
    const { input } = context;
    // The key is consumed: it is not an answer to the next question.
    const digits = input.barge_in ? { claims: '', forNext: true } : undefined;
    yield* ensureAnswered(context, { early: input.early });
    const audio = (await context.prompt(input.prompt ?? input)).map((item) => withVoice(input, item));
    for (let round = input.repeat; round > 0; round--) {
      if ((yield* playAudio(context, audio, digits)) === 'interrupted') return { outcome: 'interrupted' };
    }
    return { outcome: 'done' };
  },
});

/** Applies `voice`, `language`, `rate` and `pitch` of the step to an item of the prompt. */
function withVoice(args: PlayArgs, item: AudioItem): AudioItem {
  const { voice, language, rate, pitch } = args;
  if (item.type === 'remote' && item.otherwise) return { ...item, otherwise: withVoice(args, item.otherwise) };
  if (item.type !== 'speech' && item.type !== 'ssml') return item;
  const { voices: _replaced, ...plain } = item;
  const spoken = voice === undefined ? item : { ...plain, ...spokenBy(voice) };
  const speaker = { ...spoken, ...(language && { language }) };
  // An SSML document defines its own rate and pitch.
  if (speaker.type === 'ssml') return speaker;
  return { ...speaker, ...(rate && { rate }), ...(pitch && { pitch }) };
}
