/** Routes for call detail reports, `/video/v2/cdr/…`. */
import { sessionReports } from './session-reports.ts';

export const CDR_ROUTES = sessionReports({
  name: 'cdr',
  summary: 'returns the call detail records of',
  response: 'cdr',
  list(query, { callDetails }) {
    const { details, ...next } = callDetails.list(query);
    return { list: details.map(({ body }) => body), ...next };
  },
});
