import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { AudioItem, Voice } from '../core/leg.ts';
import { count, flag } from './arguments.ts';
import { ensureAnswered, playAudio } from './playback.ts';
import { COMMANDS_ENDING_PROMPTS, defineStep } from './step.ts';

export const play = defineStep({
  verb: 'play',
  activity: 'prompt',
  preemptedBy: { to: COMMANDS_ENDING_PROMPTS, outcomes: ['interrupted', 'done'] },
  outcomes: (args) => (mayBeInterrupted(args) ? ['done', 'interrupted', 'error'] : ['done', 'error']),
  success: 'done',
  waits: true,
  media: true,
  needsCall: true,
  prompts: ['', '/prompt'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    const digits = flag(args['barge_in'], false) ? { claims: '', forNext: true } : undefined;
    yield* ensureAnswered(context, flag(args['early'], false));
    const audio = (await context.prompt(args['prompt'] ?? context.input)).map((item) => withVoice(args, item));
    for (let round = count(args['repeat'], 1); round > 0; round--) {
      const playback = yield* playAudio(context, audio, digits);
      if (playback.how === 'broken') return { outcome: 'error', fault: playback.fault };
      // The key is used up: it is not the answer to what is asked next.
      if (playback.how === 'interrupted') return { outcome: 'interrupted' };
    }
    return { outcome: 'done' };
  },
});

/** Only where a key stops the prompt; arguments that are one template may say so when they are rendered. */
function mayBeInterrupted(args: Json): boolean {
  if (typeof args === 'string') return /^\$\{.*\}$/s.test(args);
  return isObject(args) && (args['barge_in'] ?? false) !== false;
}

/** A voice named beside a prompt speaks all of it. */
function withVoice({ voice, language, rate, pitch }: JsonObject, item: AudioItem): AudioItem {
  if (item.type !== 'speech' && item.type !== 'ssml') return item;
  const speaker: { voice?: Voice; language?: string } = {
    ...(voice === 'male' || voice === 'female' ? { voice } : {}),
    ...(typeof language === 'string' ? { language } : {}),
  };
  // A document says for itself how fast and how high.
  if (item.type === 'ssml') return { ...item, ...speaker };
  return {
    ...item,
    ...speaker,
    ...(typeof rate === 'number' ? { rate } : {}),
    ...(typeof pitch === 'number' ? { pitch } : {}),
  };
}
