/** Video API, `/video/v2/…`: types of its routes and handlers. */
import { type RequestHandler, type Response, Router } from 'express';
import { defined, type Json, type JsonObject } from '../../../base/core/json.ts';
import type { Archives } from '../../../media/rooms/archive/archives.ts';
import type { CallDetailStore } from '../../../media/rooms/call-detail.ts';
import type { DialIn } from '../../../media/rooms/dial-in.ts';
import type { Rooms } from '../../../media/rooms/rooms.ts';
import type { RoomSessions } from '../../../media/rooms/sessions.ts';
import type { Deletions } from '../../calls/people/people.ts';
import { ApiError } from '../api-error.ts';
import type { ListOverNodes } from '../merged-list.ts';
import { signedInProjectOf } from '../request-context.ts';
import { type HandledRoute, type HttpMethod, type PathParameters, register } from '../route.ts';
import { sendJson } from '../send-json.ts';

export interface VideoParts {
  rooms: Rooms;
  sessions: RoomSessions;
  callDetails: Pick<CallDetailStore, 'list'>;
  dialIn: DialIn;
  archives: Pick<Archives, 'list' | 'pathOf'>;
  people: Deletions;
  /** Public URL of the API. */
  publicUrl(): string;
  /** Absent for a single node. */
  listOverNodes?: ListOverNodes;
}

export interface VideoRequest {
  projectId: string;
  params: PathParameters;
  body: Json | undefined;
  url: string;
  res: Response;
}

/** Returns the response fields in addition to `result`. Undefined if the response was already sent. */
export type VideoHandler = (request: VideoRequest, parts: VideoParts) => Answer | Promise<Answer>;
type Answer = JsonObject | undefined;

export type VideoRoute = HandledRoute<VideoHandler>;

/** The documented path, and two that older clients use. */
const BASE = '/video/v2';
export const VIDEO_BASES = [BASE, '/video/v1', '/v1'];

type Row = Pick<VideoRoute, 'summary' | 'errors' | 'handle' | 'query' | 'isAlias' | 'merged'> & {
  /** Name of a schema in `schemas/api/`. */
  body?: string;
  /** Name of a schema in `schemas/api/responses/`. */
  response: string;
};

/** `path` is relative to the base. */
export const videoRoute = (method: HttpMethod, path: string, { body, response, ...row }: Row): VideoRoute =>
  defined<VideoRoute>({
    tag: 'Video',
    method,
    path: BASE + path,
    auth: 'project',
    body: body === undefined ? undefined : { schema: body, isRequired: method === 'POST' },
    response: { status: 200, schema: `responses/${response}` },
    ...row,
  });

export const videoRouter = (routes: readonly VideoRoute[], parts: VideoParts): Router =>
  register(Router(), BASE, routes, (route) => serve(route, parts));

function serve({ handle, response, merged }: VideoRoute, parts: VideoParts): RequestHandler {
  return async (req, res) => {
    const { projectId } = signedInProjectOf(res);
    const params = req.params as unknown as PathParameters;
    const handleAt = (url: string) =>
      handle({ projectId, params, body: req.body as Json | undefined, url, res }, parts);
    const { listOverNodes } = parts;
    const answer = await (merged && listOverNodes ? listOverNodes(merged, req, res, handleAt) : handleAt(req.url));
    if (answer) sendJson(res, response.status, { result: 0, ...answer });
  };
}

/** Parses `cursor`, which must be the `next` of an earlier page. */
export function afterOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (!/^\d{1,15}$/.test(cursor)) throw new ApiError('cursor_invalid', 'cursor is not the `next` of an earlier page');
  return Number(cursor);
}
