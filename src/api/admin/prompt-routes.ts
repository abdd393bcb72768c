/** Prompts: texts, and sounds that are sent as they are and kept as calls play them. */
import { type RequestHandler, Router } from 'express';
import { CallError } from '../../calls/call-error.ts';
import type { Provisioned } from '../../calls/settings/collection.ts';
import { type PromptOrder, provisionPrompt } from '../../calls/settings/provision.ts';
import { type PromptVariety, promptKey } from '../../calls/settings/settings.ts';
import { defined, type JsonObject } from '../../core/json.ts';
import { ApiError } from '../api-error.ts';
import { badRequest, bodyReader, textOf } from '../body-reader.ts';
import { only } from '../route-parts.ts';
import type { AdminParts } from './admin-routes.ts';
import { doneBody } from './setting-routes.ts';

interface Variety {
  name: string;
  variety: string;
}
type OfPrompt = RequestHandler<{ name: string; language: string }>;

const NAME = /^[^\p{Cc}]{1,200}$/u;
const VARIETY = /^(default|[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)$/;

export function promptRoutes(parts: AdminParts): Router {
  const { settings, now } = parts;
  const readPrompt = bodyReader('admin/prompt');

  const varietyOf = ({ name, language }: { name: string; language: string }): Variety => {
    if (!NAME.test(name)) throw badRequest('name is not written as it must be');
    if (!VARIETY.test(language)) throw badRequest('language must be a language such as en-US, or default');
    return { name, variety: language };
  };
  const find = (params: { name: string; language: string }): Provisioned<PromptVariety> => {
    const { name, variety } = varietyOf(params);
    return settings.prompts.get(promptKey(name, variety));
  };

  const list: RequestHandler = (_req, res) => {
    res.json({ prompts: settings.prompts.list().map(shown), timestamp: now() });
  };
  const show: OfPrompt = (req, res) => void res.json(shown(find(req.params)));
  const put: OfPrompt = async (req, res) => {
    const variety = varietyOf(req.params);
    await provisionPrompt(variety, orderOf(req.body), parts);
    res.json(shown(find(req.params)));
  };
  const orderOf = (body: unknown): PromptOrder => {
    if (Buffer.isBuffer(body)) return { bytes: body };
    const { text, voice } = readPrompt(body as JsonObject | undefined);
    return { text: textOf(text), ...(voice === 'female' || voice === 'male' ? { voice } : {}) };
  };
  const remove: OfPrompt = (req, res) => {
    settings.prompts.remove(find(req.params).key);
    res.json(doneBody(now()));
  };
  const sound: OfPrompt = (req, res, next) => {
    const { file, name, variety } = find(req.params).value;
    if (file === undefined) throw new CallError('unknown_setting', 'this prompt is a text');
    res.attachment(`${name}-${variety}.wav`).type('audio/wav');
    res.sendFile(file, { dotfiles: 'allow', cacheControl: false }, (error?: Error) => {
      if (!error || res.writableEnded || res.destroyed) return;
      for (const header of ['content-disposition', 'content-type']) res.removeHeader(header);
      const { status } = error as { status?: number };
      next(status === 416 ? new ApiError('range_refused', 'the sound has no such part') : error);
    });
  };

  const router = Router();
  router.route('/prompts').get(list).all(only('GET'));
  router
    .route('/prompts/:name/:language')
    .get(show)
    .put(put)
    .delete(remove)
    .all(only('GET', 'PUT', 'DELETE'));
  router.route('/prompts/:name/:language/audio').get(sound).all(only('GET'));
  return router;
}

const shown = ({ value, isConfigured }: Provisioned<PromptVariety>): JsonObject =>
  defined({
    name: value.name,
    language: value.variety,
    text: value.text,
    voice: value.voice,
    audio: value.file !== undefined,
    duration_ms: value.durationMs === undefined ? undefined : Math.round(value.durationMs),
    configured: isConfigured,
  });
