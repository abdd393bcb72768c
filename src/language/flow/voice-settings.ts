/**
 * Language and voice of a call: `locale` and `voice` of a step, of a flow's defaults, and of the call itself, which
 * `set` changes as `call.locale` and `call.voice`. `compile.ts` reads the written values, `service/runtime/speaking.ts`
 * resolves the values of a step, and `lint-languages.ts` checks them.
 */
import type { Json, JsonObject } from '../../base/core/json.ts';
import { compileCheck } from '../../base/schema/compile-check.ts';
import { valueAt } from '../../base/schema/document.ts';
import { readSchema } from '../../base/schema/schema-files.ts';
import { flowSchema } from '../../base/schema/schema-forms.ts';
import type { CompiledFlow, CompiledStep, Template, VoiceSettings, VoiceTemplates } from './compiled-flow.ts';

export type VoiceSetting = keyof VoiceSettings;
export const VOICE_SETTINGS: readonly VoiceSetting[] = ['locale', 'voice'];

const OF_CALL = 'call.';
/** Names by which `set` changes the call instead of a variable. */
export const CALL_SETTINGS: readonly string[] = VOICE_SETTINGS.map((key) => OF_CALL + key);

/** Returns the setting of the call with this name; undefined for the name of a variable. */
export const callSetting = (name: string): VoiceSetting | undefined =>
  CALL_SETTINGS.includes(name) ? (name.slice(OF_CALL.length) as VoiceSetting) : undefined;

const definitions = readSchema('components')['$defs'] as JsonObject;
/** The schema of a voice refers to a definition of the same file. */
const withDefinition = (schema: JsonObject, name: string): JsonObject => ({
  ...schema,
  $defs: { [name]: definitions[name] ?? {} },
});
const checks = {
  locale: compileCheck(definitions['locale'] as JsonObject),
  voice: compileCheck(withDefinition(definitions['voice'] as JsonObject, 'voiceName')),
};

/** True if the value is a valid locale, or a valid voice. */
export const isSpeakable = (key: VoiceSetting, value: Json): boolean => checks[key](value) === undefined;

/** Compiles the locale and voice of a step or of a flow's defaults. */
export function voiceTemplates(
  written: JsonObject,
  compile: (value: Json, key: VoiceSetting) => Template,
): VoiceTemplates | undefined {
  const found = VOICE_SETTINGS.flatMap((key) => {
    const value = written[key];
    return value === undefined ? [] : [[key, compile(value, key)] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** Locale and voice of a flow if they are known before the call, else the defaults. */
export function usualVoiceSettings(templates: VoiceTemplates | undefined): VoiceSettings {
  const usual = (key: VoiceSetting) =>
    templates?.[key]?.constant ?? valueAt(flowSchema, `/properties/defaults/properties/${key}/default`);
  return { locale: usual('locale') as string, voice: usual('voice') as VoiceSettings['voice'] };
}

/** Locale of a step if it is known before the call, else the flow's. */
export const usualLocale = ({ voiceSettings }: CompiledStep, flow: Pick<CompiledFlow, 'locale'>): string =>
  (voiceSettings?.locale?.constant as string | undefined) ?? flow.locale;

export const languageOf = (locale: string): string => locale.split('-')[0]!;
