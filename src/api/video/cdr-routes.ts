/** Call detail reports, `/video/v2/cdr/…`. */
import { defined, type JsonObject } from '../../core/json.ts';
import type { CallDetailQuery } from '../../rooms/call-detail.ts';
import { ApiError, type ApiErrorCode } from '../api-error.ts';
import { PAGE, type PageQuery, readQuery } from '../query-parameters.ts';
import type { PathParameters } from '../route.ts';
import { periodOf } from './period.ts';
import { afterOf, type VideoRoute, videoRoute } from './video-route.ts';

type Selection = Omit<CallDetailQuery, 'projectId' | 'limit' | 'after'>;

const report = (
  path: string,
  summary: string,
  select: (params: PathParameters) => Selection,
  errors: readonly ApiErrorCode[] = [],
): VideoRoute =>
  videoRoute('GET', `/cdr${path}`, {
    summary: `reports on those who were in ${summary}`,
    query: PAGE,
    response: 'cdr',
    errors: ['bad_request', 'cursor_invalid', ...errors],
    handle({ projectId, params, url }, { callDetails }): JsonObject {
      const { limit, cursor } = readQuery<PageQuery>(url, PAGE);
      const { details, next } = callDetails.list(
        defined({ projectId, ...select(params), limit, after: afterOf(cursor) }),
      );
      const cdr = details.map(({ body }) => body);
      return defined({ result: '0', cdr, next: next === undefined ? undefined : String(next) });
    },
  });

/** The answer to clients that leave out a part of the path says which. */
const incomplete = (path: string, code: ApiErrorCode, what: string): VideoRoute => ({
  ...report(path, 'nothing', () => ({}), [code]),
  isAlias: true,
  handle: () => {
    throw new ApiError(code, `${what} is missing in the path`);
  },
});

export const CDR_ROUTES: readonly VideoRoute[] = [
  report('/conf/{conf_num}', 'a session', ({ conf_num: confNum }) => ({ confNum })),
  report('/room/{room_id}', 'a room', ({ room_id: roomId }) => ({ roomId })),
  report('/period/{from_date}/{to_date}', 'any room on these days', periodOf, ['date_malformed']),
  report(
    '/room-period/{room_id}/{from_date}/{to_date}',
    'a room on these days',
    ({ room_id: roomId, ...days }) => ({ roomId, ...periodOf(days) }),
    ['date_malformed'],
  ),
  incomplete('/conf', 'conf_num_missing', 'conf_num'),
  incomplete('/room', 'room_id_missing', 'room_id'),
  incomplete('/period/{from_date}', 'to_date_missing', 'to_date'),
  incomplete('/room-period/{room_id}/{from_date}', 'to_date_missing', 'to_date'),
];
