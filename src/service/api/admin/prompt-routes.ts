/** Admin routes for prompts: texts, and uploaded audio, which is stored in the format of calls. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import { CallError } from '../../calls/call-error.ts';
import type { Provisioned } from '../../calls/settings/collection.ts';
import { provisionPrompt } from '../../calls/settings/provision.ts';
import { type PromptVariety, promptKey } from '../../calls/settings/settings.ts';
import { badRequest, bodyReader } from '../body-reader.ts';
import type { PathParameters } from '../route.ts';
import { sendAudio } from '../send-file.ts';
import { type AdminParts, type AdminRoute, adminRoute, DONE, doneBody, many, one } from './admin-route.ts';

const PROMPT = '/prompts/{name}/{language}';
const NAME = /^[^\p{Cc}]{1,200}$/u;
const VARIETY = /^(default|[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)$/;

const readPrompt = bodyReader('admin/prompt');

export const PROMPT_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/prompts', {
    summary: 'lists the prompts',
    response: many('prompts', 'prompt'),
    handle: (_request, { settings }) => settings.prompts.list().map(promptBody),
  }),
  adminRoute('GET', PROMPT, {
    summary: 'returns a prompt',
    response: one('prompt'),
    errors: ['unknown_setting'],
    handle: ({ params }, parts) => promptBody(findPrompt(params, parts)),
  }),
  adminRoute('GET', `${PROMPT}/audio`, {
    summary: 'returns the audio file of a prompt',
    response: { status: 200, mediaType: 'audio/wav' },
    errors: ['unknown_setting'],
    handle({ params, res }, parts) {
      const { file, name, variety } = findPrompt(params, parts).value;
      if (file === undefined) throw new CallError('unknown_setting', 'this prompt is a text and has no audio file');
      return sendAudio(res, file, `${name}-${variety}`, 'sound');
    },
  }),
  adminRoute('PUT', PROMPT, {
    summary: 'creates or replaces a prompt from a text or an audio file',
    body: { schema: 'admin/prompt', isRequired: true, files: ['audio/wav', 'audio/mpeg'] },
    response: one('prompt'),
    errors: ['configured', 'audio_malformed', 'text_too_long', 'voice_not_supported'],
    async handle({ params, body, file }, parts) {
      await provisionPrompt(varietyOf(params), file ? { bytes: file } : readPrompt(body), parts);
      return promptBody(findPrompt(params, parts));
    },
  }),
  adminRoute('DELETE', PROMPT, {
    summary: 'removes a prompt',
    response: DONE,
    errors: ['unknown_setting', 'configured'],
    async handle({ params }, parts) {
      await parts.settings.prompts.remove(findPrompt(params, parts).key);
      return doneBody(parts);
    },
  }),
];

function varietyOf({ name, language }: PathParameters): { name: string; variety: string } {
  if (!NAME.test(name)) throw badRequest('name is invalid');
  if (!VARIETY.test(language)) throw badRequest('language must be a language such as en-US, or default');
  return { name, variety: language };
}

function findPrompt(params: PathParameters, { settings }: AdminParts): Provisioned<PromptVariety> {
  const { name, variety } = varietyOf(params);
  return settings.prompts.get(promptKey(name, variety));
}

const promptBody = ({ value, isConfigured }: Provisioned<PromptVariety>): JsonObject =>
  defined({
    name: value.name,
    language: value.variety,
    text: value.text,
    voice: value.voice,
    audio: value.file !== undefined,
    duration_ms: value.durationMs === undefined ? undefined : Math.round(value.durationMs),
    configured: isConfigured,
  });
