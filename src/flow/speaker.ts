/**
 * The language and the voice of a call: `locale` and `voice` of a step, of a flow's defaults, and of the call itself, which
 * `set` changes under the names `call.locale` and `call.voice`. Neighbours: `compile.ts` reads what is written,
 * `runtime/speaking.ts` finds what holds for a step, `lint-languages.ts` judges it.
 */
import type { Json, JsonObject } from '../core/json.ts';
import { compileCheck } from '../schema/compile-check.ts';
import { valueAt } from '../schema/document.ts';
import { readSchema } from '../schema/schema-files.ts';
import { flowSchema } from '../schema/schema-forms.ts';
import type { CompiledFlow, CompiledStep, Speaker, SpeakerTemplates, Template } from './compiled-flow.ts';

export type SpeakerKey = keyof Speaker;
export const SPEAKER_KEYS: readonly SpeakerKey[] = ['locale', 'voice'];

const OF_CALL = 'call.';
/** What `set` changes of the call, beside variables. */
export const CALL_SETTINGS: readonly string[] = SPEAKER_KEYS.map((key) => OF_CALL + key);

/** What of the call `set` changes by this name; undefined: it is the name of a variable. */
export const callSetting = (name: string): SpeakerKey | undefined =>
  CALL_SETTINGS.includes(name) ? (name.slice(OF_CALL.length) as SpeakerKey) : undefined;

const definitions = readSchema('components')['$defs'] as JsonObject;
/** It refers to another one of the same file. */
const withDefinition = (schema: JsonObject, name: string): JsonObject => ({
  ...schema,
  $defs: { [name]: definitions[name] ?? {} },
});
const checks = {
  locale: compileCheck(definitions['locale'] as JsonObject),
  voice: compileCheck(withDefinition(definitions['voice'] as JsonObject, 'voiceName')),
};

/** Whether there can be such a locale, or such a voice. */
export const isSpeakable = (key: SpeakerKey, value: Json): boolean => checks[key](value) === undefined;

/** What a step, or the defaults of a flow, say. */
export function speakerTemplates(
  written: JsonObject,
  compile: (value: Json, key: SpeakerKey) => Template,
): SpeakerTemplates | undefined {
  const found = SPEAKER_KEYS.flatMap((key) => {
    const value = written[key];
    return value === undefined ? [] : [[key, compile(value, key)] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** How a flow speaks, as far as it is known before the call. */
export function usualSpeaker(templates: SpeakerTemplates | undefined): Speaker {
  const usual = (key: SpeakerKey) =>
    templates?.[key]?.constant ?? valueAt(flowSchema, `/properties/defaults/properties/${key}/default`);
  return { locale: usual('locale') as string, voice: usual('voice') as Speaker['voice'] };
}

/** As far as it is known before the call. */
export const usualLocale = ({ speaker }: CompiledStep, flow: Pick<CompiledFlow, 'locale'>): string =>
  (speaker?.locale?.constant as string | undefined) ?? flow.locale;

export const languageOf = (locale: string): string => locale.split('-')[0]!;
