/** Prompts of SWML. Used by `swml-methods.ts` and `swml-parties.ts`. */
import type { Json } from '../../base/core/json.ts';
import { untranslated, worked } from './fidelity.ts';
import { secondsOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { listAt, numberAt, wordsAt } from './json-verbs.ts';
import { localeOf, missingSound, soundOf, spoken, voiceOf } from './spoken.ts';
import type { SwmlContext, SwmlVerb } from './swml-context.ts';
import { swmlText } from './swml-names.ts';

/** Prompts of `play` and `prompt`. */
export function piecesOf(context: SwmlContext, { fields }: SwmlVerb, node: ImportedNode): Json[] {
  const urls = ['value', 'url', 'urls', 'play'].flatMap((key) => listAt(fields, key));
  if (urls.length === 0) untranslated('it says nothing');
  if ((numberAt(fields, 'volume') ?? 0) !== 0) worked(node, 'it is as loud as the others');
  const language = localeOf(wordsAt(fields, 'say_language'));
  const [named, gender] = ['say_voice', 'say_gender'].map((key) => wordsAt(fields, key));
  return urls.map((url): Json => {
    const [, kind, rest = ''] = /^(say|silence|ring):\s*(.*)$/s.exec(url.trim()) ?? [];
    if (kind === 'silence') return { silence: secondsOf(rest.trim()) ?? untranslated(`wait for ${rest.slice(0, 40)}`) };
    if (kind === 'ring') untranslated(`play the ringing tone ${rest.slice(0, 40)}`);
    if (kind === undefined) return soundOf(url, context.sounds) ?? untranslated(missingSound(url));
    const voice = voiceOf(named ?? gender, node);
    return spoken(swmlText(context, rest.trim()), voice, language);
  });
}
