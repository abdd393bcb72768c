/** Admin route for the search in the steps and texts of all flows. */
import { defined } from '../../../base/core/json.ts';
import { badRequest } from '../body-reader.ts';
import { LIMIT, readQuery } from '../query-parameters.ts';
import type { QueryParameter } from '../route.ts';
import { type AdminRoute, adminRoute, one } from './admin-route.ts';

const MAX_QUERY = 100;
const Q: QueryParameter = {
  name: 'q',
  description: `Words, of which all must occur: up to ${MAX_QUERY} characters.`,
  schema: { type: 'string' },
};
/** Sized for several fast typists behind one address. */
const SEARCH_LIMIT = { perSecond: 10, burst: 30 };

export const FLOW_SEARCH_ROUTES: readonly AdminRoute[] = [
  adminRoute('GET', '/search', {
    summary: 'searches the names, titles and texts of the steps of all flows that calls use, and their prompts',
    query: [Q, LIMIT],
    response: one('search'),
    errors: ['bad_request', 'too_many_requests'],
    limit: SEARCH_LIMIT,
    async handle({ url }, { flowSearch, now }) {
      const { q = '', limit } = readQuery<{ q?: string; limit: number }>(url, [Q, LIMIT]);
      if (q.trim() === '' || q.length > MAX_QUERY) throw badRequest(`q must have 1 to ${MAX_QUERY} characters`);
      const { hits, hasMore } = await flowSearch.search(q, limit);
      return { hits: hits.map((hit) => defined({ ...hit })), more: hasMore, timestamp: now() };
    },
  }),
];
