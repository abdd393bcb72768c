/**
 * The admin API, `/admin/v1/…`: reads and changes settings. `service/calls/settings/` stores them.
 *
 * Invariants
 * A1 the token is checked before any part of the body is read;
 * - settings of the configuration file are readable and cannot be changed.
 */
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Clock } from '../../../base/core/clock.ts';
import { defined, type Json, type JsonObject, type MayLackMembers } from '../../../base/core/json.ts';
import type { NotReady } from '../../../base/core/not-ready.ts';
import type { CapturedSip } from '../../../base/core/sip-capture.ts';
import type { Language } from '../../../language/flow/text/language.ts';
import type { RoomJournalStore } from '../../../media/rooms/room-journal.ts';
import type { Rooms } from '../../../media/rooms/rooms.ts';
import type { RoomSessions } from '../../../media/rooms/sessions.ts';
import type { RoomEngine } from '../../../media/rooms/sfu.ts';
import type { Changes } from '../../calls/audit-log/changes.ts';
import type { Rehearsals } from '../../calls/broadcast/rehearsals.ts';
import type { CallParts } from '../../calls/call-parts.ts';
import type { Canaries } from '../../calls/canaries/canaries.ts';
import type { Example, TemplateFile } from '../../calls/flow-files/examples.ts';
import type { FlowCandidates } from '../../calls/flow-files/flow-candidates.ts';
import type { WorkOptions } from '../../calls/flow-files/flow-check.ts';
import type { FlowFiles } from '../../calls/flow-files/flow-files.ts';
import type { ImportJob } from '../../calls/flow-files/flow-import.ts';
import type { FlowSearch } from '../../calls/flow-files/flow-search.ts';
import type { FlowTrials } from '../../calls/flow-files/flow-trials.ts';
import type { FlowVersionStore } from '../../calls/flow-files/flow-version-store.ts';
import type { People } from '../../calls/people/people.ts';
import type { Administrators } from '../../calls/settings/administrators.ts';
import type { DrainOrders, ReloadReport } from '../../calls/settings/operation.ts';
import type { ProvisionParts } from '../../calls/settings/provision.ts';
import type { Comments } from '../../calls/studio/comments.ts';
import type { Drafts } from '../../calls/studio/drafts.ts';
import type { StudioPeople } from '../../calls/studio/studio-people.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { SharedStore } from '../../cluster/shared-parts.ts';
import type { LiveEvents } from '../../observers/live/live.ts';
import type { WebhookDispatcher } from '../../observers/webhooks/dispatcher.ts';
import type { Outbox } from '../../observers/webhooks/outbox.ts';
import { type AdminAuth, isOwnToken, refuseChange, type SignedIn } from '../admin-auth.ts';
import { ApiError } from '../api-error.ts';
import type { AskNode } from '../ask-node.ts';
import { jsonBody, MAX_BODY_BYTES, mediaType } from '../json-body.ts';
import type { ListOverNodes } from '../merged-list.ts';
import { createRateLimiter, type RateLimit } from '../rate-limit.ts';
import { stateOf } from '../request-context.ts';
import {
  type ApiRoute,
  type HandledRoute,
  type HttpMethod,
  type PathParameters,
  type ResponseSpec,
  register,
} from '../route.ts';
import { sendJson } from '../send-json.ts';
import type { Sessions } from '../sessions.ts';
import type { StudioStreams } from '../studio-stream.ts';
import { type AuditedValues, inWords, type RecordChange } from '../trail.ts';

/** Description of the flow language. It is large: `compressed` compresses it once for each encoding. */
export interface SentLanguage {
  body: Language;
  etag: string;
  compressed(as: 'br' | 'gzip'): Promise<Buffer>;
}

/** A phone that is registered now. */
export interface PhoneAtWork {
  transport: string;
  host: string;
  port: number;
  /** First REGISTER, in milliseconds since 1970. Absent if it is not known. */
  sinceMs?: number;
}

export interface AdminParts extends ProvisionParts {
  now(): string;
  outbox: Pick<Outbox, 'deadLetters' | 'findDeadLetter' | 'disabledUrls' | 'enableUrl'>;
  deliveries: Pick<WebhookDispatcher, 'requeue' | 'requeueAll' | 'receivers'>;
  urlProblem(url: string): string | undefined;
  flowFiles: FlowFiles;
  flowSearch: FlowSearch;
  flowTrials: FlowTrials;
  flowCandidates: FlowCandidates;
  canaries: Pick<Canaries, 'find' | 'latest' | 'start' | 'stop'>;
  flowVersions: Pick<FlowVersionStore, 'find' | 'list'>;
  language(): SentLanguage;
  examples(): Promise<Example[]>;
  templates(): Promise<TemplateFile[]>;
  importFlows(job: Omit<ImportJob, 'directory'>, options?: WorkOptions): Promise<JsonObject>;
  rehearsals: Rehearsals;
  studioPeople: StudioPeople;
  studioStreams: StudioStreams;
  drafts: Drafts;
  comments: Comments;
  changes: Changes;
  people: People;
  administrators: Administrators;
  publicUrl(): string;
  /** Absent if the studio is disabled. */
  openSession?: Sessions['open'];
  rooms: Rooms;
  sessions: Pick<RoomSessions, 'find'>;
  roomEngine: Pick<RoomEngine, 'name' | 'state'>;
  roomJournal: Pick<RoomJournalStore, 'list'>;
  /** Reloads the configuration. Throws `config_invalid`. */
  reload(): Promise<ReloadReport>;
  drain: DrainOrders;
  nodes: {
    cluster: Pick<Cluster, 'me' | 'nodes'>;
    store: Pick<SharedStore, 'state'> | undefined;
    /** Reason why this node refuses new calls without being drained. */
    problem(): NotReady | undefined;
    /** Absent for a single node. */
    askNode?: AskNode;
  };
  /** Absent for a single node. */
  listOverNodes?: ListOverNodes;
  calls: Pick<CallParts, 'supervisor' | 'callStore' | 'recordingUrl' | 'clock'>;
  live: Pick<LiveEvents, 'stepOf'>;
  /** Captured SIP messages of a call, where they are still kept. */
  sipOf(callId: string): CapturedSip[];
  /** Registered phones of a user. Absent if the telephony engine does not know them. */
  phonesOf?(user: string): readonly PhoneAtWork[];
}

export interface AdminRequest {
  params: PathParameters;
  body: Json | undefined;
  /** Body of another type than JSON. */
  file: Buffer | undefined;
  url: string;
  header(name: string): string | undefined;
  /** Display name of the administrator. */
  who: string;
  signedIn: SignedIn;
  /** Adds to the audit log entry: hashes before and after the change, or the changed keys. */
  audit(audited: MayLackMembers<AuditedValues>): void;
  res: Response;
}

/** Response body, or the items of a list. Undefined if the handler has sent the response itself. */
type Answer = JsonObject | JsonObject[] | undefined;

export type AdminHandler = (request: AdminRequest, parts: AdminParts) => Answer | Promise<Answer>;
export type AdminRoute = HandledRoute<AdminHandler> & {
  /** True if a request other than GET is not recorded in the audit log: always, or with this body. */
  changesNothing?: true | ((body: Json | undefined) => boolean);
  /** Rate limit for each administrator. */
  limit?: RateLimit;
};

type Row = Pick<
  AdminRoute,
  'summary' | 'handle' | 'query' | 'response' | 'isConditional' | 'changesNothing' | 'limit' | 'merged'
> &
  Partial<Pick<AdminRoute, 'errors'>> & {
    /** Name of a schema in `schemas/api/admin/`. */
    body?: string | ApiRoute['body'];
  };

const BASE = '/admin/v1';

export const adminRoute = (method: HttpMethod, path: string, { body, ...row }: Row): AdminRoute =>
  defined<AdminRoute>({
    tag: 'Administration',
    method,
    path: BASE + path,
    auth: 'admin',
    body: typeof body === 'string' ? { schema: `admin/${body}`, isRequired: true } : body,
    errors: [],
    ...row,
  });

export const one = (schema: string, status = 200): ResponseSpec => ({ status, schema: `admin/responses/${schema}` });
export const many = (list: string, schema: string): ResponseSpec => ({ ...one(schema), list });
export const DONE = one('done');
export const doneBody = ({ now }: AdminParts): JsonObject => ({ result: 0, status: 'success', timestamp: now() });

/** Rejects requests of projects that another node has forwarded. */
function administratorForwarded({ administrator }: { administrator?: SignedIn }): SignedIn {
  if (!administrator) throw new ApiError('unauthorized', 'not authorized');
  return administrator;
}

/** The only change that read access allows: a new token of its own. */
function renewsOwnToken({ method, path }: Request, administrator: SignedIn): boolean {
  const [, name] = /^\/administrators\/([^/]+)\/token\/?$/i.exec(path) ?? [];
  return method === 'POST' && name !== undefined && isOwnToken(name, administrator);
}

/** Aborted if the client disconnects before the response is sent. */
export function signalOf(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => res.writableFinished || controller.abort());
  return controller.signal;
}

export const AUDIO_TYPES = ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'audio/mpeg', 'audio/mp3'];
const MAX_AUDIO_BYTES = 20 * 2 ** 20;
/** Room for a flow of the maximum size, escaped as JSON, with tests. */
const MAX_FLOW_BODY_BYTES = 4 * 2 ** 20;

export function adminRouter(
  routes: readonly AdminRoute[],
  parts: AdminParts,
  given: {
    auth: AdminAuth;
    recordChange: RecordChange;
    clock: Clock;
    /** Handlers that forward requests to the owner node before their bodies are read. */
    forward: readonly RequestHandler[];
  },
): Router {
  const { auth, recordChange, clock, forward } = given;
  const router = Router();
  router.use((req, res, next) => {
    const { forwarded } = stateOf(res);
    // Without a configured token, the routes are only visible to studio sessions.
    if (!forwarded && !auth.isConfigured && !auth.find(req)) return next('router');
    const administrator = forwarded ? administratorForwarded(forwarded) : auth.check(req);
    if (!renewsOwnToken(req, administrator)) refuseChange(req, administrator);
    stateOf(res).administrator = administrator;
    next();
  });
  const isAudio = (req: Request): boolean =>
    req.method === 'PUT' && /^\/prompts\//i.test(req.path) && AUDIO_TYPES.includes(mediaType(req.headers));
  const isAboutFlows = (req: Request): boolean => /^\/flows\//i.test(req.path);
  router.use(
    ...forward,
    express.raw({ type: (req) => isAudio(req as Request), limit: MAX_AUDIO_BYTES }),
    jsonBody(MAX_FLOW_BODY_BYTES, isAboutFlows),
    jsonBody(MAX_BODY_BYTES, (req) => !isAudio(req) && !isAboutFlows(req)),
  );
  return register<AdminHandler, AdminRoute>(router, BASE, routes, (route) => {
    const take = route.limit && createRateLimiter(route.limit, clock);
    return (req, res) => answer(route, take, req, res);
  });

  async function answer(
    route: AdminRoute,
    take: ((who: string) => void) | undefined,
    req: Request,
    res: Response,
  ): Promise<void> {
    const { handle, method, response, changesNothing = method === 'GET' } = route;
    const { url } = req;
    const params = req.params as unknown as PathParameters;
    const sent = Buffer.isBuffer(req.body) ? { body: undefined, file: req.body } : { body: req.body, file: undefined };
    const signedIn = stateOf(res).administrator!;
    const who = inWords(signedIn, req);
    take?.(who);
    let audited: AuditedValues = {};
    const audit: AdminRequest['audit'] = (given) => {
      audited = defined(given);
    };
    const handleAt = async (at: string) =>
      handle({ params, url: at, res, who, signedIn, audit, header: (name) => req.get(name), ...sent }, parts);
    const { merged } = route;
    const { listOverNodes } = parts;
    const made = await (merged && listOverNodes
      ? listOverNodes(merged, req, res, handleAt as (at: string) => Promise<JsonObject>)
      : handleAt(url));
    const isRecorded = typeof changesNothing === 'function' ? !changesNothing(sent.body) : !changesNothing;
    if (isRecorded) recordChange(req, res, audited);
    if (made === undefined) return;
    const { list, status } = response;
    sendJson(res, status, list === undefined ? made : { [list]: made, timestamp: parts.now() });
  }
}
