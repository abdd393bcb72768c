/** Prompts from texts, voices, languages and sound files of other systems. */
import { defined, type Json, type JsonObject } from '../../base/core/json.ts';
import { fileNameOf } from './file-names.ts';
import { sayOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';

/** Names of male voices of the large cloud vendors. All other voices count as female. */
const MEN =
  /\b(man|male|matthew|joey|justin|kevin|stephen|gregory|brian|arthur|russell|geraint|mathieu|remi|hans|daniel|giorgio|adriano|takumi|jan|jacek|cristiano|ricardo|thiago|maxim|enrique|sergio|andres|pedro|miguel|karl|mads|ruben|liam|laurent|niels|guy|davis|tony|ryan|conrad|henri|diego)\b/i;
/** Forms that `voice` accepts. */
const NAME = /^[A-Za-z][A-Za-z0-9._:-]{0,99}$/;
const LOCALE = /^[a-z]{2,3}(-[A-Z]{2})?$/;

/**
 * A voice name is kept, with a built-in voice as fallback if no engine has it. Undefined if the source names no voice.
 */
export type ImportedVoice = 'female' | 'male' | [name: string, otherwise: 'female' | 'male'];

export function voiceOf(written: string | undefined, node: ImportedNode): ImportedVoice | undefined {
  if (written === undefined || written === '') return undefined;
  const voice = MEN.test(written.replaceAll(/[._-]/g, ' ')) ? 'male' : 'female';
  if (/^(wo)?man$|^(fe)?male$/i.test(written)) return voice;
  const isName = NAME.test(written);
  const note = `the voice ${written.slice(0, 60)} is our ${voice} voice${isName ? ' where no engine of yours has it' : ''}`;
  if (!node.notes.includes(note)) node.notes.push(note);
  return isName ? [written, voice] : voice;
}

/** Locale in the form `en-US`. Undefined if the source has none or has another form. */
export function localeOf(written: string | undefined): string | undefined {
  const [language = '', region] = (written ?? '').trim().split(/[-_]/);
  const locale = region === undefined ? language.toLowerCase() : `${language.toLowerCase()}-${region.toUpperCase()}`;
  return LOCALE.test(locale) ? locale : undefined;
}

/** Prompt for a text, with its voice and language if they are given. */
export function spoken(text: string, voice?: ImportedVoice, language?: string): Json {
  if (voice === undefined && language === undefined) return sayOf(text);
  return defined<JsonObject>({ text, voice, language });
}

/**
 * Prompt for a sound of the source: a local file of the same name, or else its URL. Undefined if the URL contains
 * templates.
 */
export function soundOf(url: string, sounds: ReadonlySet<string>): JsonObject | undefined {
  const wanted = fileNameOf(url);
  const wave = wanted.replace(/\.\w+$/, '.wav');
  const name = [wanted, wave].find((each) => sounds.has(each));
  if (name !== undefined) return { audio: name };
  return WHOLE_URL.test(url) ? { audio: url } : undefined;
}

/** URL of a sound without parts that are only known during the call. */
const WHOLE_URL = /^https?:\/\/[^\s{}$]{1,1900}\.(wav|mp3)(\?[^\s{}$]*)?$/i;

export const missingSound = (url: string): string => {
  const name = fileNameOf(url).replace(/\.\w+$/, '.wav');
  return `play ${url.slice(0, 300)}: put it into the folder \`prompts\` beside the flow as ${name || 'a WAV file'}, and import again`;
};
