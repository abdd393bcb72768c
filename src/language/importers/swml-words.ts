/** Prompts of SWML. Used by `swml-methods.ts` and `swml-parties.ts`. */
import type { Json } from '../../base/core/json.ts';
import { untranslated, worked } from './fidelity.ts';
import type { ImportedNode } from './imported.ts';
import { listAt, numberAt, wordsAt } from './json-verbs.ts';
import { MAX_SILENCE_S, timeAt } from './source-numbers.ts';
import { localeOf, missingSound, soundOf, spoken, voiceOf } from './spoken.ts';
import type { SwmlContext, SwmlVerb } from './swml-context.ts';
import { swmlText } from './swml-names.ts';

/** Prompts of `play` and `prompt`. */
export function piecesOf(context: SwmlContext, { fields }: SwmlVerb, node: ImportedNode): Json[] {
  const urls = ['value', 'url', 'urls', 'play'].flatMap((key) => listAt(fields, key));
  if (urls.length === 0) untranslated('it has no text or sound to play');
  if ((numberAt(fields, 'volume') ?? 0) !== 0) worked(node, 'it is as loud as the others');
  const language = localeOf(wordsAt(fields, 'say_language'));
  const [named, gender] = ['say_voice', 'say_gender'].map((key) => wordsAt(fields, key));
  return urls.map((url): Json => {
    const [, kind, rest = ''] = /^(say|silence|ring):\s*(.*)$/s.exec(url.trim()) ?? [];
    if (kind === 'silence') {
      if (!(Number(rest) >= 0)) untranslated(`wait for ${rest.slice(0, 40)}`);
      return { silence: timeAt(node, { silence: rest }, 'silence', { otherwise: '0s', most: MAX_SILENCE_S }) };
    }
    if (kind === 'ring') untranslated(`play the ringing tone ${rest.slice(0, 40)}`);
    if (kind === undefined) return soundOf(url, context.sounds) ?? untranslated(missingSound(url));
    const voice = voiceOf(named ?? gender, node);
    return spoken(swmlText(context, rest.trim()), voice, language);
  });
}
