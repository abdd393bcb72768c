/** Report routes with the same four paths: `/{what}/conf/…`, `/room/…`, `/period/…` and `/room-period/…`. */
import { defined, type JsonObject } from '../../../base/core/json.ts';
import type { SessionQuery } from '../../../media/rooms/session-query.ts';
import { ApiError, type ApiErrorCode } from '../api-error.ts';
import { PAGE, type PageQuery, readQuery } from '../query-parameters.ts';
import type { PathParameters } from '../route.ts';
import { periodOf } from './period.ts';
import { afterOf, type VideoParts, type VideoRoute, videoRoute } from './video-route.ts';

export interface SessionReport {
  /** Path segment, and key of the list in the response. */
  name: string;
  summary: string;
  /** Name of a schema in `schemas/api/responses/`. */
  response: string;
  list(query: SessionQuery, parts: VideoParts): { list: JsonObject[]; next?: number };
}

type Selection = Omit<SessionQuery, 'projectId' | 'limit' | 'after'>;

export function sessionReports({ name, summary, response, list }: SessionReport): readonly VideoRoute[] {
  const report = (
    path: string,
    of: string,
    select: (params: PathParameters) => Selection,
    errors: readonly ApiErrorCode[] = [],
  ): VideoRoute =>
    videoRoute('GET', `/${name}${path}`, {
      summary: `${summary} ${of}`,
      query: PAGE,
      response,
      errors: ['bad_request', 'cursor_invalid', ...errors],
      merged: { list: name, by: 'trans_date', order: 'rising' },
      handle({ projectId, params, url }, parts): JsonObject {
        const { limit, cursor } = readQuery<PageQuery>(url, PAGE);
        const query = defined<SessionQuery>({ projectId, ...select(params), limit, after: afterOf(cursor) });
        const { list: found, next } = list(query, parts);
        return defined({ result: '0', [name]: found, next: next === undefined ? undefined : String(next) });
      },
    });
  /** Route for clients that omit a part of the path: the error names it. */
  const incomplete = (path: string, code: ApiErrorCode, what: string): VideoRoute => ({
    ...report(path, 'nothing', () => ({}), [code]),
    isAlias: true,
    handle: () => {
      throw new ApiError(code, `${what} is missing in the path`);
    },
  });
  return [
    report('/conf/{conf_num}', 'a session', ({ conf_num: confNum }) => ({ confNum })),
    report('/room/{room_id}', 'a room', ({ room_id: roomId }) => ({ roomId })),
    report('/period/{from_date}/{to_date}', 'all rooms in this period', periodOf, ['date_malformed']),
    report(
      '/room-period/{room_id}/{from_date}/{to_date}',
      'a room in this period',
      ({ room_id: roomId, ...days }) => ({ roomId, ...periodOf(days) }),
      ['date_malformed'],
    ),
    incomplete('/conf', 'conf_num_missing', 'conf_num'),
    incomplete('/room', 'room_id_missing', 'room_id'),
    incomplete('/period/{from_date}', 'to_date_missing', 'to_date'),
    incomplete('/room-period/{room_id}/{from_date}', 'to_date_missing', 'to_date'),
  ];
}
