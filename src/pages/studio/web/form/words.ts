/** Words that callers hear at a place of a flow, part by part, also if they are in the table `prompts`. Pure. */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { t } from '../../../shared/web/words/translate.ts';

export interface WordsPart {
  /** Path in the flow. */
  path: Path;
  /** `words` are spoken, a `sound` is named, and `other` is a pause, a tone or a document. */
  kind: 'words' | 'sound' | 'other';
  text: string;
  /** Key of the table `prompts` in which the words are. */
  prompt?: string;
  /** Language of the words, if they are there in several. */
  language?: string;
}

/** `en-US`, `fr`. */
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

export function partsOf(flow: JsonObject, path: Path, value: Json | undefined): WordsPart[] {
  if (typeof value === 'string') return partsOfText(flow, path, value);
  if (Array.isArray(value)) return value.flatMap((item, index) => partsOf(flow, [...path, index], item));
  if (!isObject(value ?? null)) return [];
  const { text, audio } = value as JsonObject;
  if (typeof text === 'string') return [{ path: [...path, 'text'], kind: 'words', text }];
  if (typeof audio === 'string') return [{ path: [...path, 'audio'], kind: 'sound', text: audio }];
  return [
    {
      path,
      kind: 'other',
      text: Object.entries(value as JsonObject)
        .map(([key, each]) => `${key} ${each}`)
        .join(', '),
    },
  ];
}

function partsOfText(flow: JsonObject, path: Path, text: string): WordsPart[] {
  const table = flow['prompts'];
  if (!isObject(table ?? null) || !Object.hasOwn(table as JsonObject, text)) {
    return [{ path, kind: isSpoken(text) ? 'words' : 'sound', text }];
  }
  const entry = (table as JsonObject)[text]!;
  if (typeof entry === 'string') return [{ path: ['prompts', text], kind: 'words', text: entry, prompt: text }];
  if (!isObject(entry)) return [{ path, kind: 'sound', text }];
  const parts = Object.entries(entry).flatMap(([key, words]): WordsPart[] => {
    if (typeof words !== 'string' || (key !== 'text' && !LANGUAGE.test(key))) return [];
    const part: WordsPart = { path: ['prompts', text, key], kind: 'words', text: words, prompt: text };
    return [key === 'text' ? part : { ...part, language: key }];
  });
  return parts.length > 0 ? parts : [{ path, kind: 'sound', text }];
}

/** A text with a space or a template is spoken; a single word is the name of a prompt or a sound. */
export const isSpoken = (text: string): boolean => /\s/.test(text.trim()) || text.includes('${');

/** Why words cannot be written at a place. */
export function problemOfWords(part: WordsPart, text: string): string | undefined {
  if (text.length > 4000) return t('At most 4000 characters');
  if (/\$\{[^}]*$/.test(text)) return t('A {character} is missing', { character: '}' });
  const isInline = part.prompt === undefined && part.path.at(-1) !== 'text';
  if (!isInline || part.kind === 'sound' || isSpoken(text)) return undefined;
  return t('One word alone is the name of a sound. Write two words or more to have them spoken');
}
