/** Prompts that REST calls refer to by `prompt_name`: each is a file or a text, for all languages or for some. */
import type { AudioItem, Voice } from '../../../base/core/leg.ts';

const DEFAULT_LANGUAGE = 'en-US';

export interface NamedPrompt {
  /** Absolute path of a WAV file. */
  file?: string;
  text?: string;
  voice?: Voice;
  language?: string;
}

/** A prompt in the syntax of flows. */
export type WrittenPrompt =
  | { audio: string }
  | { text: string; voice: Voice; language: string }
  | { ssml: string; voice: Voice; language: string };

/** name → language tag, or `default` → prompt. */
export type NamedPrompts = Readonly<Record<string, Readonly<Record<string, NamedPrompt>>>>;

/** The prompt in the syntax of flows: in the requested language, else in another variety of it, else in the default. */
export function namedPrompt(
  prompts: NamedPrompts,
  name: string,
  language: string | undefined,
): WrittenPrompt | undefined {
  if (!Object.hasOwn(prompts, name)) return undefined;
  const varieties = Object.entries(prompts[name]!);
  const wanted = (language ?? 'default').toLowerCase();
  const base = wanted.split('-')[0];
  const found =
    varieties.find(([tag]) => tag.toLowerCase() === wanted) ??
    varieties.find(([tag]) => tag.toLowerCase().split('-')[0] === base) ??
    varieties.find(([tag]) => tag === 'default') ??
    varieties[0];
  return found && writtenPrompt(found[1], found[0] === 'default' ? language : found[0]);
}

function writtenPrompt(prompt: NamedPrompt, language: string | undefined): WrittenPrompt {
  if (prompt.file !== undefined) return { audio: prompt.file };
  return spokenPrompt(prompt.text ?? '', prompt.voice, prompt.language ?? language);
}

export const spokenPrompt = (
  text: string,
  voice: Voice | undefined,
  language: string | undefined,
): Extract<WrittenPrompt, { text: string }> => ({
  text,
  voice: voice ?? 'female',
  language: language ?? DEFAULT_LANGUAGE,
});

/** The prompt as the audio item that an engine plays. */
export function audioOf(prompt: WrittenPrompt): AudioItem {
  if ('audio' in prompt) return { type: 'file', file: prompt.audio };
  return 'ssml' in prompt ? { type: 'ssml', ...prompt } : { type: 'speech', ...prompt };
}
