/**
 * Language and voice of a step, in this order: its own, those changed by `set` for the rest of the call, those of its
 * flow, those of the step that called its flow. An invalid locale or voice is ignored, with a diagnostic in the
 * journal. Neighbour: `language/flow/speaker.ts` knows the names.
 */
import type { Json } from '../../base/core/json.ts';
import type { CompiledStep, Speaker, SpeakerTemplates } from '../../language/flow/compiled-flow.ts';
import { isSpeakable, SPEAKER_KEYS, type SpeakerKey } from '../../language/flow/speaker.ts';
import { renderTemplate } from '../../language/flow/template.ts';
import type { CallContext } from './call-context.ts';
import type { FlowFrame } from './flow-frame.ts';

const MAX_SHOWN = 40;

/** Called on entry of the step; also updates the values of its flow. */
export async function speakerOf(call: CallContext, frame: FlowFrame, step: CompiledStep): Promise<Speaker> {
  frame.ownSpeaker = { ...frame.ownSpeaker, ...(await rendered(call, frame, frame.flow.speaker)) };
  return { ...frame.speaker, ...(await rendered(call, frame, step.speaker)) };
}

export function changeSpeaker(call: CallContext, frame: FlowFrame, key: SpeakerKey, value: Json): void {
  if (isSpeakable(key, value)) call.speaker = { ...call.speaker, [key]: value };
  else diagnose(call, frame, key, value);
}

async function rendered(
  call: CallContext,
  frame: FlowFrame,
  templates: SpeakerTemplates | undefined,
): Promise<Partial<Speaker>> {
  const found: { -readonly [Key in SpeakerKey]?: Json } = {};
  for (const key of SPEAKER_KEYS) {
    const template = templates?.[key];
    if (!template) continue;
    const value = template.isConstant
      ? (template.constant ?? null)
      : await renderTemplate(template, frame.scope(), frame.evaluation);
    if (isSpeakable(key, value)) found[key] = value;
    else diagnose(call, frame, key, value);
  }
  return found as Partial<Speaker>;
}

function diagnose(call: CallContext, frame: FlowFrame, key: SpeakerKey, value: Json): void {
  const shown = JSON.stringify(value).slice(0, MAX_SHOWN);
  call.diagnoseOnce(`unknown_${key}`, `${shown} is not a ${key}: the call goes on in ${frame.speaker[key]}`);
}
