/** All routes, and look-ups by path. */
import { ADMIN_ROUTES } from './admin/admin-routes.ts';
import { BROADCAST_ROUTES } from './broadcast-routes.ts';
import { CALL_ROUTES } from './call-routes.ts';
import { CONFERENCE_ROUTES } from './conference-routes.ts';
import { DELETION_ROUTES } from './deletion-routes.ts';
import { DO_NOT_CALL_ROUTES } from './do-not-call-routes.ts';
import { EVENT_STREAM_ROUTES } from './event-stream-routes.ts';
import { FLOW_GRAPH_ROUTES } from './flow-graph-routes.ts';
import { JOURNAL_ROUTES } from './journal-routes.ts';
import { type ApiRoute, methodsByPath, pathShape } from './route.ts';
import { SERVICE_ROUTES } from './service-routes.ts';
import { SESSION_ROUTES } from './session-routes.ts';
import { ARCHIVE_ROUTES } from './video/archive-routes.ts';
import { CDR_ROUTES } from './video/cdr-routes.ts';
import { DIAL_IN_ROUTES } from './video/dial-in-routes.ts';
import { ROOM_ROUTES } from './video/room-routes.ts';
import type { VideoRoute } from './video/video-route.ts';
import type { VoiceRoute } from './voice-route.ts';
import { WEBPHONE_ROUTES } from './webphone-routes.ts';

export const VOICE_ROUTES: readonly VoiceRoute[] = [
  // Before `/recording/{service_id}/{recording_id}`, which also matches this path.
  ...JOURNAL_ROUTES,
  ...CALL_ROUTES,
  ...DELETION_ROUTES,
  ...EVENT_STREAM_ROUTES,
  ...FLOW_GRAPH_ROUTES,
  ...CONFERENCE_ROUTES,
  ...BROADCAST_ROUTES,
  ...DO_NOT_CALL_ROUTES,
  ...WEBPHONE_ROUTES,
];

export const VIDEO_ROUTES: readonly VideoRoute[] = [
  ...ROOM_ROUTES,
  ...CDR_ROUTES,
  ...DIAL_IN_ROUTES,
  ...ARCHIVE_ROUTES,
];

export const ROUTES: readonly ApiRoute[] = [
  ...VOICE_ROUTES,
  ...VIDEO_ROUTES,
  ...ADMIN_ROUTES,
  ...SESSION_ROUTES,
  ...SERVICE_ROUTES,
];

/** Route of a request as a metric label: always a known path, never text of the request. */
export const routeLabel = (path: string): string => matchingPath(path) ?? 'other';

/** Methods of a path. Empty if no route matches. */
export function methodsOf(path: string): string[] {
  // A constant segment in one path can match a parameter in another: `/flows/check` could be a flow.
  const methods = [...new Set(matchingPaths(path).flatMap((known) => METHODS.get(pathShape(known))!))];
  if (methods.length === 0) return [];
  return [...methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])), 'OPTIONS'];
}

const METHODS = methodsByPath(ROUTES);

const partsIn = (path: string): number => path.split('/').length;

/**
 * Routes with fewer parameters come first, because they are more specific. Grouped by the number of segments, because
 * every request is matched.
 */
const PATTERNS = Map.groupBy(
  [...new Set(ROUTES.map(({ path }) => path))]
    .sort((one, other) => one.split('{').length - other.split('{').length)
    .map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`, 'i'),
    })),
  ({ path }) => partsIn(path),
);

const matchingPath = (path: string): string | undefined => matchingPaths(path)[0];

/**
 * First path segments of the voice API. Below `/v1`, these belong to the voice API, and all others to the video API.
 */
const VOICE_WORDS = new Set(['calls', ...VOICE_ROUTES.map(({ path }) => path.split('/')[3]!)]);

/** `/v1/call…` is an alternative spelling of `/voice/v1/call…`, as for all voice paths. */
export const withVoicePrefix = (url: string): string => {
  const word = /^\/v1\/([\w-]+)/i.exec(url)?.[1];
  return word !== undefined && VOICE_WORDS.has(word.toLowerCase()) ? `/voice${url}` : url;
};

function matchingPaths(path: string): string[] {
  const wanted = withVoicePrefix(path)
    .replace(/^\/voice\/v1\/calls(?=\/|$)/i, '/voice/v1/call')
    .replace(/^(?:\/video\/v1|\/v1)(?=\/)/i, '/video/v2')
    .replace(/(?<=.)\/$/, '');
  return (PATTERNS.get(partsIn(wanted)) ?? []).filter(({ pattern }) => pattern.test(wanted)).map((known) => known.path);
}
