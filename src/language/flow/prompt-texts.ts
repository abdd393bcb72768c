/** Texts of a prompt that are written in the flow. The words of sounds and templates are unknown. */
import { isObject, type Json } from '../../base/core/json.ts';
import type { CompiledFlow } from './compiled-flow.ts';
import { hasExpression } from './outcome-conditions.ts';
import { isText, localesOf } from './prompts.ts';

export interface PromptTexts {
  texts: string[];
  /** True if every part of the prompt is a known text. */
  isComplete: boolean;
}

const MAX_NESTING = 5;

export function promptTexts(
  flow: Pick<CompiledFlow, 'prompts' | 'locale'>,
  written: Json | undefined,
  locale: string,
): PromptTexts {
  const found: PromptTexts = { texts: [], isComplete: true };
  read(flow, written, locale, found, 0);
  return found;
}

function read(
  flow: Pick<CompiledFlow, 'prompts' | 'locale'>,
  written: Json | undefined,
  locale: string,
  found: PromptTexts,
  depth: number,
): void {
  if (written === undefined) return;
  if (Array.isArray(written)) {
    for (const piece of written) read(flow, piece, locale, found, depth + 1);
  } else if (isObject(written)) {
    const said = written['text'] ?? written['ssml'] ?? written['prompt'];
    if (said !== undefined) read(flow, typeof said === 'string' ? ` ${said}` : said, locale, found, depth + 1);
    else if (written['audio'] !== undefined) found.isComplete = false;
  } else if (typeof written === 'string' && (isText(written) || hasExpression(written))) {
    found.texts.push(written);
    if (hasExpression(written)) found.isComplete = false;
  } else if (typeof written === 'string') {
    const { entries } = flow.prompts;
    const entry = Object.hasOwn(entries, written) ? entries[written]! : {};
    const spoken = localesOf(flow, locale, Object.keys(entry)).find((candidate) => Object.hasOwn(entry, candidate));
    if (spoken === undefined || depth > MAX_NESTING) found.isComplete = false;
    else {
      const definition = entry[spoken]!;
      // A word of the table is another key, or a text of one word.
      const isWord = typeof definition === 'string' && !Object.hasOwn(entries, definition);
      read(flow, isWord ? ` ${definition}` : definition, locale, found, depth + 1);
    }
  }
}
