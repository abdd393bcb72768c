/** Projects, their secrets, and the events that did not reach them. */
import { type Request, type RequestHandler, Router } from 'express';
import { CallError } from '../../calls/call-error.ts';
import type { Project } from '../../calls/project-store.ts';
import type { CreatedProject, ProjectChanges } from '../../calls/projects.ts';
import { removeProject } from '../../calls/settings/provision.ts';
import { defined, type JsonObject } from '../../core/json.ts';
import { MASK, maskUrl } from '../../core/mask-url.ts';
import { callOrBroadcastId } from '../../observers/webhooks/broadcast-events.ts';
import type { DeadLetter } from '../../observers/webhooks/outbox.ts';
import { badRequest, bodyReader, textOf } from '../body-reader.ts';
import { bodyOf, only } from '../route-parts.ts';
import type { AdminParts } from './admin-routes.ts';
import { doneBody } from './setting-routes.ts';

type OfProject = RequestHandler<{ app_id: string }>;
type OfEvent = RequestHandler<{ app_id: string; event_id: string }>;

const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 500;

export function projectRoutes(parts: AdminParts): Router {
  const { projects, outbox, deliveries, now } = parts;
  const readCreate = bodyReader('admin/project-create');
  const readChange = bodyReader('admin/project-change');
  const readUrl = bodyReader('admin/url');
  const readResend = bodyReader('admin/resend');

  const projectOf = (appId: string): Project => {
    const project = projects.find(appId);
    if (!project) throw new CallError('unknown_setting', 'there is no such project');
    return project;
  };
  const shown = ({ projectId, name, webhookFormat, strictBridgeState, cliPolicy, createdMs }: Project): JsonObject => ({
    app_id: projectId,
    name,
    webhook_format: webhookFormat,
    strict_bridge_state: strictBridgeState,
    cli_policy: cliPolicy,
    created: iso(createdMs),
    configured: projects.isConfigured(projectId),
  });

  const list: RequestHandler = (_req, res) => {
    res.json({ projects: projects.list().map(shown), timestamp: now() });
  };
  const create: RequestHandler = async (req, res) => {
    const body = readCreate(bodyOf(req));
    const { app_id: appId, name } = body;
    const made = await projects.create({
      ...changesOf(body),
      name: textOf(name),
      ...(appId === undefined ? {} : { projectId: textOf(appId) }),
    });
    res.status(201).json(credentialsBody(made, now()));
  };
  const show: OfProject = (req, res) => void res.json(shown(projectOf(req.params.app_id)));
  const change: OfProject = (req, res) => {
    const body = readChange(bodyOf(req));
    res.json(shown(projects.change(req.params.app_id, changesOf(body))));
  };
  const remove: OfProject = (req, res) => {
    removeProject(req.params.app_id, parts);
    res.json(doneBody(now()));
  };
  const renewKey: OfProject = async (req, res) => {
    const { appId, appKey } = await projects.renewKey(req.params.app_id);
    res.json(credentialsBody({ appId, appKey }, now()));
  };
  const renewSecret: OfProject = (req, res) => {
    const { appId, webhookSecret } = projects.renewWebhookSecret(req.params.app_id);
    res.json(credentialsBody({ appId, webhookSecret }, now()));
  };

  const deadLetters: OfProject = (req, res) => {
    const { projectId } = projectOf(req.params.app_id);
    res.json({ events: outbox.deadLetters(projectId, limitOf(req)).map(deadLetterBody), timestamp: now() });
  };
  const resendAll: OfProject = async (req, res) => {
    const { projectId } = projectOf(req.params.app_id);
    const prefix = textOf(readResend(bodyOf(req))['url_prefix']);
    if (prefix.includes(MASK)) throw badRequest('url_prefix: leave out what is masked');
    res.json({ resent: await deliveries.requeueAll(projectId, prefix), timestamp: now() });
  };
  const resendOne: OfEvent = async (req, res) => {
    const { projectId } = projectOf(req.params.app_id);
    const dead = outbox.findDeadLetter(req.params.event_id);
    if (dead?.projectId !== projectId || !(await deliveries.requeue(dead.id))) {
      throw new CallError('unknown_setting', 'there is no such dead event');
    }
    res.json({ resent: 1, timestamp: now() });
  };
  const disabledUrls: OfProject = (req, res) => {
    const { projectId } = projectOf(req.params.app_id);
    const urls = outbox.disabledUrls(projectId).map(({ url, disabledMs }) => ({
      url: maskUrl(url),
      disabled: iso(disabledMs),
    }));
    res.json({ urls, timestamp: now() });
  };
  const enableUrl: OfProject = async (req, res) => {
    const { projectId } = projectOf(req.params.app_id);
    const url = textOf(readUrl(bodyOf(req))['url']);
    const disabled = outbox.disabledUrls(projectId).map((one) => one.url);
    // As it is, or as it is shown.
    const meant = disabled.includes(url) ? [url] : disabled.filter((one) => maskUrl(one) === url);
    if (meant.length === 0) throw new CallError('unknown_setting', 'this URL is not disabled');
    for (const one of meant) await outbox.enableUrl(projectId, one);
    res.json(doneBody(now()));
  };

  const router = Router();
  router.route('/projects').get(list).post(create).all(only('GET', 'POST'));
  router
    .route('/projects/:app_id')
    .get(show)
    .patch(change)
    .delete(remove)
    .all(only('GET', 'PATCH', 'DELETE'));
  router.route('/projects/:app_id/key').post(renewKey).all(only('POST'));
  router.route('/projects/:app_id/webhook-secret').post(renewSecret).all(only('POST'));
  router.route('/projects/:app_id/dead-letters').get(deadLetters).all(only('GET'));
  router.route('/projects/:app_id/dead-letters/resend').post(resendAll).all(only('POST'));
  router.route('/projects/:app_id/dead-letters/:event_id/resend').post(resendOne).all(only('POST'));
  router.route('/projects/:app_id/disabled-urls').get(disabledUrls).all(only('GET'));
  router.route('/projects/:app_id/disabled-urls/enable').post(enableUrl).all(only('POST'));
  return router;
}

function changesOf(body: JsonObject): ProjectChanges {
  const { name, webhook_format: webhookFormat, strict_bridge_state: strictBridgeState, cli_policy: cliPolicy } = body;
  return defined<JsonObject>({ name, webhookFormat, strictBridgeState, cliPolicy }) as ProjectChanges;
}

/** Those secrets that are new. */
const credentialsBody = (
  { appId, appKey, webhookSecret }: Partial<CreatedProject> & { appId: string },
  timestamp: string,
): JsonObject => defined({ app_id: appId, app_key: appKey, webhook_secret: webhookSecret, timestamp });

/** Not its body, which tells what callers pressed and said. */
const deadLetterBody = ({ id, orderKey, url, attempts, createdMs, deadMs, deathCause }: DeadLetter): JsonObject => ({
  event_id: id,
  voice_id: callOrBroadcastId(orderKey),
  url: maskUrl(url),
  attempts,
  cause: deathCause,
  created: iso(createdMs),
  given_up: iso(deadMs),
});

function limitOf(req: Request<{ app_id: string }>): number {
  const text = new URL(req.url, 'http://localhost').searchParams.get('limit');
  if (text === null) return DEFAULT_LIMIT;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > LARGEST_LIMIT) throw badRequest(`limit must be 1 to ${LARGEST_LIMIT}`);
  return limit;
}

const iso = (atMs: number): string => new Date(atMs).toISOString();
