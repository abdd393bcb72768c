/** What sources say and play: voices, languages and sound files of others as prompts of ours. */
import { defined, type Json, type JsonObject } from '../core/json.ts';
import { fileNameOf } from './file-names.ts';
import { sayOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';

/** Names of voices of the large clouds that are men's; all others are taken for women's. */
const MEN =
  /\b(man|male|matthew|joey|justin|kevin|stephen|gregory|brian|arthur|russell|geraint|mathieu|remi|hans|daniel|giorgio|adriano|takumi|jan|jacek|cristiano|ricardo|thiago|maxim|enrique|sergio|andres|pedro|miguel|karl|mads|ruben|liam|laurent|niels|guy|davis|tony|ryan|conrad|henri|diego)\b/i;
/** As `voice` takes them. */
const NAME = /^[A-Za-z][A-Za-z0-9._:-]{0,99}$/;
const LOCALE = /^[a-z]{2,3}(-[A-Z]{2})?$/;

/** A voice of others keeps its name, and ours speaks where no engine has it; undefined where the source names none. */
export type Voice = 'female' | 'male' | [name: string, otherwise: 'female' | 'male'];

export function voiceOf(written: string | undefined, node: ImportedNode): Voice | undefined {
  if (written === undefined || written === '') return undefined;
  const voice = MEN.test(written.replaceAll(/[._-]/g, ' ')) ? 'male' : 'female';
  if (/^(wo)?man$|^(fe)?male$/i.test(written)) return voice;
  const isName = NAME.test(written);
  const note = `the voice ${written.slice(0, 60)} is our ${voice} voice${isName ? ' where no engine of yours has it' : ''}`;
  if (!node.notes.includes(note)) node.notes.push(note);
  return isName ? [written, voice] : voice;
}

/** Undefined where the source names none, or one that is not written as ours are. */
export function localeOf(written: string | undefined): string | undefined {
  const [language = '', region] = (written ?? '').trim().split(/[-_]/);
  const locale = region === undefined ? language.toLowerCase() : `${language.toLowerCase()}-${region.toUpperCase()}`;
  return LOCALE.test(locale) ? locale : undefined;
}

/** A text, in a voice and a language where they are said. */
export function spoken(text: string, voice?: Voice, language?: string): Json {
  if (voice === undefined && language === undefined) return sayOf(text);
  return defined<JsonObject>({ text, voice, language });
}

/** A sound of the source: the file beside the flow, else its URL; undefined where that is made of something. */
export function soundOf(url: string, sounds: ReadonlySet<string>): JsonObject | undefined {
  const wanted = fileNameOf(url);
  const wave = wanted.replace(/\.\w+$/, '.wav');
  const name = [wanted, wave].find((each) => sounds.has(each));
  if (name !== undefined) return { audio: name };
  return WHOLE_URL.test(url) ? { audio: url } : undefined;
}

/** Sound of the web, without parts that are known on the call only. */
const WHOLE_URL = /^https?:\/\/[^\s{}$]{1,1900}\.(wav|mp3)(\?[^\s{}$]*)?$/i;

export const missingSound = (url: string): string => {
  const name = fileNameOf(url).replace(/\.\w+$/, '.wav');
  return `play ${url.slice(0, 300)}: put it into the folder \`prompts\` beside the flow as ${name || 'a WAV file'}, and import again`;
};
