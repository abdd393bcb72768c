/**
 * Language and voice of a step, in this order: its own, those changed by `set` for the rest of the call, those of its
 * flow, those of the step that called its flow. An invalid locale or voice is ignored, with a diagnostic in the
 * journal. Neighbour: `language/flow/voice-settings.ts` knows the names.
 */
import type { Json } from '../../base/core/json.ts';
import type { CompiledStep, VoiceSettings, VoiceTemplates } from '../../language/flow/compiled-flow.ts';
import { renderTemplate } from '../../language/flow/template.ts';
import { isSpeakable, VOICE_SETTINGS, type VoiceSetting } from '../../language/flow/voice-settings.ts';
import type { CallContext } from './call-context.ts';
import type { FlowFrame } from './flow-frame.ts';

const MAX_SHOWN = 40;

/** Called on entry of the step; also updates the values of its flow. */
export async function voiceSettingsOf(call: CallContext, frame: FlowFrame, step: CompiledStep): Promise<VoiceSettings> {
  frame.ownVoiceSettings = { ...frame.ownVoiceSettings, ...(await rendered(call, frame, frame.flow.voiceSettings)) };
  return { ...frame.voiceSettings, ...(await rendered(call, frame, step.voiceSettings)) };
}

export function changeVoiceSetting(call: CallContext, frame: FlowFrame, key: VoiceSetting, value: Json): void {
  if (isSpeakable(key, value)) call.voiceSettings = { ...call.voiceSettings, [key]: value };
  else diagnose(call, frame, key, value);
}

async function rendered(
  call: CallContext,
  frame: FlowFrame,
  templates: VoiceTemplates | undefined,
): Promise<Partial<VoiceSettings>> {
  const found: { -readonly [Key in VoiceSetting]?: Json } = {};
  for (const key of VOICE_SETTINGS) {
    const template = templates?.[key];
    if (!template) continue;
    const value = template.isConstant
      ? (template.constant ?? null)
      : await renderTemplate(template, frame.scope(), frame.evaluation);
    if (isSpeakable(key, value)) found[key] = value;
    else diagnose(call, frame, key, value);
  }
  return found as Partial<VoiceSettings>;
}

function diagnose(call: CallContext, frame: FlowFrame, key: VoiceSetting, value: Json): void {
  const shown = JSON.stringify(value).slice(0, MAX_SHOWN);
  call.diagnoseOnce(`unknown_${key}`, `${shown} is not a ${key}: the call continues in ${frame.voiceSettings[key]}`);
}
