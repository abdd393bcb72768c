/** What sources say and play: voices, languages and sound files of others as prompts of ours. */
import { defined, type Json, type JsonObject } from '../core/json.ts';
import { sayOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';

/** Names of voices of the large clouds that are men's; all others are taken for women's. */
const MEN =
  /\b(man|male|matthew|joey|justin|kevin|stephen|gregory|brian|arthur|russell|geraint|mathieu|remi|hans|daniel|giorgio|adriano|takumi|jan|jacek|cristiano|ricardo|thiago|maxim|enrique|sergio|andres|pedro|miguel|karl|mads|ruben|liam|laurent|niels|guy|davis|tony|ryan|conrad|henri|diego)\b/i;
const LOCALE = /^[a-z]{2,3}(-[A-Z]{2})?$/;

export type Voice = 'female' | 'male';

/** Ours; undefined where the source names none. A voice of others is noted, since it sounds different here. */
export function voiceOf(written: string | undefined, node: ImportedNode): Voice | undefined {
  if (written === undefined || written === '') return undefined;
  const voice = MEN.test(written.replaceAll(/[._-]/g, ' ')) ? 'male' : 'female';
  if (!/^(wo)?man$|^(fe)?male$/i.test(written)) {
    const note = `the voice ${written.slice(0, 60)} is our ${voice} voice`;
    if (!node.notes.includes(note)) node.notes.push(note);
  }
  return voice;
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

/** The file's name at the end of a URL. */
export function soundNameOf(url: string): string {
  const path = url.replace(/[?#].*$/s, '');
  const last = path.split(/[/\\]/).at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** A sound of the source; undefined where nobody has put it beside the flow. */
export function soundOf(url: string, sounds: ReadonlySet<string>): JsonObject | undefined {
  const wanted = soundNameOf(url);
  const wave = wanted.replace(/\.\w+$/, '.wav');
  const name = [wanted, wave].find((each) => sounds.has(each));
  return name === undefined ? undefined : { audio: name };
}

export const missingSound = (url: string): string => {
  const name = soundNameOf(url).replace(/\.\w+$/, '.wav');
  return `play ${url.slice(0, 300)}: put it into the folder \`prompts\` beside the flow as ${name || 'a WAV file'}, and import again`;
};
