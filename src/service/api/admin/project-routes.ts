/** Admin routes for projects, their secrets and their undelivered events. */
import { parseDuration } from '../../../base/core/duration.ts';
import { defined, type Json, type JsonObject } from '../../../base/core/json.ts';
import { camelCased, snakeCased } from '../../../base/core/key-case.ts';
import { MASK, maskUrl } from '../../../base/core/mask-url.ts';
import { CallError } from '../../calls/call-error.ts';
import type { Project } from '../../calls/projects/project-store.ts';
import { type CreatedProject, isValid } from '../../calls/projects/projects.ts';
import { removeProject } from '../../calls/settings/provision.ts';
import { callOrBroadcastId } from '../../observers/webhooks/broadcast-events.ts';
import type { DeadLetter } from '../../observers/webhooks/outbox.ts';
import { badRequest, bodyReader } from '../body-reader.ts';
import { LIMIT } from '../query-parameters.ts';
import { iso } from '../response-bodies.ts';
import { type AdminParts, type AdminRoute, adminRoute, DONE, doneBody, many, one } from './admin-route.ts';

const PROJECT = '/projects/{app_id}';
const DEAD_LETTERS = `${PROJECT}/dead-letters`;

const readCreate = bodyReader('admin/project-create');
const readChange = bodyReader('admin/project-change');
const readRenewal = bodyReader('admin/renewal');
const readUrl = bodyReader('admin/url');
const readResend = bodyReader('admin/resend');

const RENEWAL = { schema: 'admin/renewal', isRequired: false };
const MAX_OVERLAP_MS = 90 * 86_400_000;

export const PROJECT_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/projects', {
    summary: 'lists the projects',
    response: many('projects', 'project'),
    handle: (_request, parts) => parts.projects.list().map((project) => projectBody(project, parts)),
  }),
  adminRoute('POST', '/projects', {
    summary: 'creates a project; its key is returned only once',
    body: 'project-create',
    response: one('project-credentials', 201),
    errors: ['in_use'],
    async handle({ body }, parts) {
      const { projects, now } = parts;
      const { app_id: projectId, ...checked } = readCreate(body);
      checkWebhook(checked, parts);
      return credentialsBody(await projects.create(defined({ ...camelCased(checked), projectId })), now());
    },
  }),
  adminRoute('GET', PROJECT, {
    summary: 'returns a project',
    response: one('project'),
    errors: ['unknown_setting'],
    handle: ({ params }, parts) => projectBody(findProject(params.app_id, parts), parts),
  }),
  adminRoute('PATCH', PROJECT, {
    summary: 'changes a project, from the next call on',
    body: 'project-change',
    response: one('project'),
    errors: ['unknown_setting', 'configured'],
    async handle({ params, body }, parts) {
      const changes = readChange(body);
      checkWebhook(changes, parts);
      return projectBody(await parts.projects.change(params.app_id, camelCased(changes)), parts);
    },
  }),
  adminRoute('DELETE', PROJECT, {
    summary: 'removes a project that has no number and no live call',
    response: DONE,
    errors: ['unknown_setting', 'configured', 'in_use'],
    async handle({ params }, parts) {
      await removeProject(params.app_id, parts);
      return doneBody(parts);
    },
  }),
  adminRoute('POST', `${PROJECT}/key`, {
    summary: 'creates a new key, which is returned only once; the old one expires at once or after `old_valid_for`',
    body: RENEWAL,
    response: one('project-credentials'),
    errors: ['unknown_setting', 'configured', 'bad_request'],
    async handle({ params, body }, { projects, now }) {
      const { appId, appKey } = await projects.renewKey(params.app_id, oldValidMs(body));
      return credentialsBody({ appId, appKey }, now());
    },
  }),
  adminRoute('POST', `${PROJECT}/webhook-secret`, {
    summary:
      'creates a new webhook secret, which is returned only once; events are signed with both during `old_valid_for`',
    body: RENEWAL,
    response: one('project-credentials'),
    errors: ['unknown_setting', 'configured', 'bad_request'],
    async handle({ params, body }, { projects, now }) {
      const { appId, webhookSecret } = await projects.renewWebhookSecret(params.app_id, oldValidMs(body));
      return credentialsBody({ appId, webhookSecret }, now());
    },
  }),
  adminRoute('DELETE', `${PROJECT}/previous`, {
    summary: 'revokes the previous key and webhook secret at once',
    response: one('project'),
    errors: ['unknown_setting', 'configured'],
    handle: async ({ params }, parts) => projectBody(await parts.projects.endPrevious(params.app_id), parts),
  }),
  adminRoute('GET', DEAD_LETTERS, {
    summary: 'lists dead letters, newest first',
    query: [LIMIT],
    response: many('events', 'dead-letter'),
    errors: ['unknown_setting', 'bad_request'],
    async handle({ params, url }, parts) {
      const { projectId } = findProject(params.app_id, parts);
      return (await parts.outbox.deadLetters(projectId, limitIn(url))).map(deadLetterBody);
    },
  }),
  adminRoute('POST', `${DEAD_LETTERS}/resend`, {
    summary: 'resends all dead letters, or those with a URL prefix; the events of each call stay in order',
    body: { schema: 'admin/resend', isRequired: false },
    response: one('resent'),
    errors: ['unknown_setting', 'bad_request'],
    async handle({ params, body }, parts) {
      const { projectId } = findProject(params.app_id, parts);
      const { url_prefix: prefix } = readResend(body);
      if (prefix.includes(MASK)) throw badRequest('url_prefix: remove the masked part');
      return { resent: await parts.deliveries.requeueAll(projectId, prefix), timestamp: parts.now() };
    },
  }),
  adminRoute('POST', `${DEAD_LETTERS}/{event_id}/resend`, {
    summary: 'resends a dead letter',
    response: one('resent'),
    errors: ['unknown_setting'],
    async handle({ params }, parts) {
      const { projectId } = findProject(params.app_id, parts);
      const dead = await parts.outbox.findDeadLetter(params.event_id);
      if (dead?.projectId !== projectId || !(await parts.deliveries.requeue(dead.id))) {
        throw new CallError('unknown_setting', 'dead letter not found');
      }
      return { resent: 1, timestamp: parts.now() };
    },
  }),
  adminRoute('GET', `${PROJECT}/disabled-urls`, {
    summary: 'lists the URLs that are disabled because they answered 410',
    response: many('urls', 'disabled-url'),
    errors: ['unknown_setting'],
    async handle({ params }, parts) {
      const { projectId } = findProject(params.app_id, parts);
      const urls = await parts.outbox.disabledUrls(projectId);
      return urls.map(({ url, disabledMs }) => ({ url: maskUrl(url), disabled: iso(disabledMs) }));
    },
  }),
  adminRoute('POST', `${PROJECT}/disabled-urls/enable`, {
    summary: 'enables a disabled URL',
    body: 'url',
    response: DONE,
    errors: ['unknown_setting'],
    async handle({ params, body }, parts) {
      const { projectId } = findProject(params.app_id, parts);
      const { url } = readUrl(body);
      const disabled = (await parts.outbox.disabledUrls(projectId)).map((each) => each.url);
      // Accepts the URL as stored, or masked as in responses.
      const meant = disabled.includes(url) ? [url] : disabled.filter((each) => maskUrl(each) === url);
      if (meant.length === 0) throw new CallError('unknown_setting', 'this URL is not disabled');
      for (const each of meant) await parts.outbox.enableUrl(projectId, each);
      return doneBody(parts);
    },
  }),
];

function oldValidMs(body: Json | undefined): number {
  const ms = parseDuration(readRenewal(body).old_valid_for) ?? 0;
  if (ms > MAX_OVERLAP_MS) throw badRequest('old_valid_for must be at most 2160h (90 days)');
  return ms;
}

function checkWebhook({ video_webhook: url }: { video_webhook?: string | null }, { urlProblem }: AdminParts): void {
  const problem = url ? urlProblem(url) : undefined;
  if (problem !== undefined) throw badRequest(`video_webhook: ${problem}`);
}

function findProject(appId: string, { projects }: AdminParts): Project {
  const project = projects.find(appId);
  if (!project) throw new CallError('unknown_setting', 'project not found');
  return project;
}

const projectBody = (project: Project, { projects, now }: AdminParts): JsonObject => {
  const until = (previous: { untilMs: number } | undefined): string | undefined =>
    isValid(previous, Date.parse(now())) ? iso(previous.untilMs) : undefined;
  return defined<JsonObject>({
    app_id: project.projectId,
    ...snakeCased(project, [
      'name',
      'webhookFormat',
      'strictBridgeState',
      'cliPolicy',
      'videoWebhook',
      'maxCalls',
      'callsPerSecond',
    ]),
    created: iso(project.createdMs),
    configured: projects.isConfigured(project.projectId),
    previous_key_until: until(project.previousKey),
    previous_webhook_secret_until: until(project.previousWebhookSecret),
  });
};

/** The new secrets. */
const credentialsBody = (
  { appId, appKey, webhookSecret }: Partial<CreatedProject> & { appId: string },
  timestamp: string,
): JsonObject => defined({ app_id: appId, app_key: appKey, webhook_secret: webhookSecret, timestamp });

/** Without the event body, which contains keys and speech of callers. */
const deadLetterBody = ({ id, orderKey, url, attempts, createdMs, deadMs, deathCause }: DeadLetter): JsonObject => ({
  event_id: id,
  voice_id: callOrBroadcastId(orderKey),
  url: maskUrl(url),
  attempts,
  cause: deathCause,
  created: iso(createdMs),
  given_up: iso(deadMs),
});

function limitIn(url: string): number {
  const { minimum = 1, maximum = 1, default: usual = 1 } = LIMIT.schema;
  const text = new URL(url, 'http://localhost').searchParams.get('limit');
  if (text === null) return usual;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < minimum || limit > maximum) throw badRequest(`limit must be ${minimum} to ${maximum}`);
  return limit;
}
