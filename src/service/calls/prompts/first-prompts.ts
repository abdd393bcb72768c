/**
 * Synthesises the first prompts in advance: those at the beginning of each number's flow, and one sentence in each
 * voice, which loads the voice. Otherwise the first callers after a start would wait for both. Neighbour:
 * `media/speech/audio-library.ts` caches the audio.
 */
import type { Json } from '../../../base/core/json.ts';
import type { AudioItem } from '../../../base/core/leg.ts';
import { valueAt } from '../../../base/schema/document.ts';
import type { CompiledFlow, CompiledStep } from '../../../language/flow/compiled-flow.ts';
import { hasExpression } from '../../../language/flow/outcome-conditions.ts';
import { resolvePrompt } from '../../../language/flow/prompts.ts';
import { usualLocale } from '../../../language/flow/voice-settings.ts';
import type { PromptAudio } from './play-order.ts';

export interface FirstPromptParts {
  flows: Iterable<CompiledFlow>;
  /** JSON pointers to the prompts in the arguments of a verb. */
  promptPlaces(verb: string): readonly string[];
  prepare: NonNullable<PromptAudio['prepare']>;
  /** False if an unused sentence would incur cost. */
  mayWarm(item: AudioItem): boolean;
  isOpen(): boolean;
}

/** Covers a menu's prompts after a greeting and an answer. */
const STEPS_AHEAD = 6;
const MAX_PROMPTS = 100;
const WORDS = 'Hello.';

/** Sequential, so that a caller waits for at most one sentence. Returns how many prompts were synthesised. */
export async function prepareFirstPrompts(parts: FirstPromptParts): Promise<number> {
  let made = 0;
  const warmed = new Set<string>();
  for (const item of firstItems(parts)) {
    const warming = warmingOf(item);
    const voice = warming && `${warming.language} ${warming.voice} ${warming.voices ?? ''}`;
    if (warming && !warmed.has(voice!) && parts.mayWarm(warming)) {
      warmed.add(voice!);
      await parts.prepare(warming);
    }
    if (!parts.isOpen() || made >= MAX_PROMPTS) break;
    if ((await parts.prepare(item)) === undefined) made += 1;
  }
  return made;
}

function* firstItems({ flows, promptPlaces }: FirstPromptParts): Generator<AudioItem> {
  for (const flow of flows) {
    for (const step of firstSteps(flow)) {
      for (const place of promptPlaces(step.verb)) {
        const written = valueAt(step.args, place);
        if (written === undefined || hasExpression(JSON.stringify(written))) continue;
        yield* itemsOf(flow, step, written);
      }
    }
  }
}

function itemsOf(flow: CompiledFlow, step: CompiledStep, written: Json): AudioItem[] {
  const resolved = resolvePrompt(flow, written, usualLocale(step, flow));
  return 'items' in resolved ? resolved.items.filter(({ type }) => type === 'speech' || type === 'ssml') : [];
}

/** Steps in the order in which calls reach them. */
function firstSteps(flow: CompiledFlow): CompiledStep[] {
  const found = new Set([flow.start]);
  for (const name of found) {
    const step = flow.steps.get(name);
    for (const target of Object.values(step?.exits ?? {})) if (found.size < STEPS_AHEAD) found.add(target);
  }
  return [...found].flatMap((name) => flow.steps.get(name) ?? []);
}

/** Private, so that it is never served from the cache. */
function warmingOf(item: AudioItem): Extract<AudioItem, { type: 'speech' }> | undefined {
  if (item.type !== 'speech' && item.type !== 'ssml') return undefined;
  const { language, voice, voices } = item;
  return { type: 'speech', text: WORDS, language, voice, ...(voices && { voices }), private: true };
}
