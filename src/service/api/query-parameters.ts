/** Parses query strings by the parameter table, which is also in `/openapi.json`. Unknown parameters are rejected. */
import type { CallState } from '../runtime/journal.ts';
import { ApiError } from './api-error.ts';
import type { QueryParameter } from './route.ts';

const MAX_VALUE_LENGTH = 1000;

/** Missing parameters get their default or are omitted. */
export function readQuery<Query extends object>(url: string, parameters: readonly QueryParameter[]): Query {
  const given = new URL(url, 'http://localhost').searchParams;
  for (const name of given.keys()) {
    if (parameters.some((parameter) => parameter.name === name)) continue;
    throw new ApiError('bad_request', `unknown query parameter ${name.slice(0, 64)}`, {
      hint: `the parameters are ${parameters.map((parameter) => parameter.name).join(', ')}`,
    });
  }
  const query: Record<string, string | number> = {};
  for (const { name, schema, parse = parserOf(schema), expected = expectedBy(schema) } of parameters) {
    const written = given.get(name) ?? '';
    const value = written.trim() === '' ? schema.default : parse(written.slice(0, MAX_VALUE_LENGTH));
    if (value !== undefined) query[name] = value;
    else if (written.trim() !== '') {
      throw new ApiError('bad_request', `query parameter ${name} is invalid`, { hint: expected });
    }
  }
  return query as Query;
}

function parserOf({ type, minimum = 0, maximum = 0, enum: words }: QueryParameter['schema']) {
  return (written: string): string | number | undefined => {
    const text = written.trim();
    if (words) return words.find((word) => word.toLowerCase() === text.toLowerCase());
    if (type === 'string') return text;
    // Accepts one leading zero; more are likely a mistake.
    const isShort = /^\d+$/.test(text) && text.length <= String(maximum).length + 1;
    const value = isShort ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  };
}

const expectedBy = ({ minimum, maximum, enum: words }: QueryParameter['schema']): string =>
  words?.join(', ') ?? `${minimum} to ${maximum}`;

/** An unescaped plus sign arrives as a space. */
export const plusOf = (written: string): string => (written.startsWith(' ') ? `+${written.trim()}` : written.trim());

const text = (name: string, description: string): QueryParameter => ({ name, description, schema: { type: 'string' } });
const number = (name: string, description: string): QueryParameter => ({ ...text(name, description), parse: plusOf });
const word = (name: string, description: string, ...words: string[]): QueryParameter => ({
  name,
  description,
  schema: { type: 'string', enum: words },
});

const moment = (name: string, description: string): QueryParameter => ({
  ...text(name, description),
  parse(written) {
    const atMs = /^\d{4}-\d{2}-\d{2}([T ]|$)/.test(written.trim()) ? Date.parse(written.trim()) : Number.NaN;
    return Number.isNaN(atMs) ? undefined : Math.max(0, atMs);
  },
  expected: 'a date and time such as 2026-03-02T09:30:00Z',
});

export const LIMIT: QueryParameter = {
  name: 'limit',
  description: 'Maximum number of items.',
  schema: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
};
const CURSOR = text('cursor', '`next` of the previous page.');

export const foreignCursor = (): ApiError =>
  new ApiError('bad_request', 'cursor is invalid', { hint: 'use `next` of the previous page' });

export const CONF_NUM = text('conf_num', 'ID of the session.');

export interface PageQuery {
  limit: number;
  cursor?: string;
}

export const PAGE: readonly QueryParameter[] = [LIMIT, CURSOR];

/** Above the number of entries of any call. */
const MAX_SEQ = 2_000_000_000;

export const JOURNAL_PAGE: readonly QueryParameter[] = [
  {
    name: 'after',
    description: 'Returns the entries after this `seq`; 0 for all.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_SEQ, default: 0 },
  },
  {
    name: 'limit',
    description: 'Maximum number of entries. Fewer are returned if they are long.',
    schema: { type: 'integer', minimum: 1, maximum: 2000, default: 500 },
  },
];

export const TRACE_QUERY: readonly QueryParameter[] = [
  ...JOURNAL_PAGE,
  word('format', '`text` returns the complete journal as readable text.', 'json', 'text'),
];

export const SIP_QUERY: readonly QueryParameter[] = [
  word('format', '`pcap` returns a capture file for Wireshark, `text` readable text.', 'json', 'pcap', 'text'),
];

export const PEAKS_QUERY: readonly QueryParameter[] = [
  {
    name: 'per_second',
    description: 'Number of intervals per second. Very long recordings have fewer.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
];

export const FIGURES_QUERY: readonly QueryParameter[] = [
  moment('since', 'Earliest start of the calls; ISO 8601. Default: one day ago.'),
  text('version', 'Hash of the version of the flow that the calls started with.'),
];

const STATES: readonly CallState[] = [
  'initiated',
  'incomingcall',
  'ringing',
  'connected',
  'bridging',
  'bridged',
  'bridge_disconnected',
  'disconnected',
  'failed',
];

export const CALL_FILTERS: readonly QueryParameter[] = [
  ...PAGE,
  word('direction', 'Direction of the calls.', 'Inbound', 'Outbound'),
  word('state', 'State as in events; `live` matches all live calls.', 'live', ...STATES),
  number('from', 'Caller.'),
  number('to', 'Callee.'),
  text('flow', 'Flow that the call started with.'),
  text('owner_ref', 'Reference as given in the request.'),
  text('app_instance', 'Broadcast of the call.'),
  moment('started_from', 'Earliest start; ISO 8601.'),
  moment('started_to', 'Latest start; ISO 8601.'),
];

export const CALL_EXPORT: readonly QueryParameter[] = [
  moment('since', 'Earliest start; ISO 8601.'),
  moment('until', 'Latest start (exclusive); ISO 8601.'),
  text('project', '`app_id` of the project. Default: all projects.'),
  number('number', 'Number of the caller, the callee or a bridged party, in any spelling.'),
  word('direction', 'Direction of the calls.', 'Inbound', 'Outbound'),
  word('state', 'State as in events; `live` matches all live calls.', 'live', ...STATES),
  text('flow', 'Flow that the call started with.'),
  text('app_instance', 'Broadcast of the call.'),
  {
    name: 'limit',
    description: 'Maximum number of calls. JSON: 100 by default, at most 500. Other formats: all by default.',
    schema: { type: 'integer', minimum: 1, maximum: 100_000_000 },
  },
  CURSOR,
  word('format', 'Format, in place of `Accept`.', 'json', 'csv', 'ndjson'),
];

export const EVENT_FILTERS: readonly QueryParameter[] = [
  text('flow', 'Limits the stream to calls that started with or entered this flow, and to their steps.'),
];

/** `limit=0` returns only the totals. */
const MAX_REPORT = 10_000;

export const REPORT_FILTERS: readonly QueryParameter[] = [
  {
    name: 'limit',
    description: 'Maximum number of items; 0 returns the totals only.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_REPORT, default: MAX_REPORT },
  },
  CURSOR,
  word('state', 'State of the numbers.', 'queued', 'ringing', 'connected', 'disconnected'),
  word('code', 'Code of the result.', 'success', 'failed'),
  text('reason', 'Reason of the result.'),
  number('number', 'Phone number.'),
];

export const STOP_OPTIONS: readonly QueryParameter[] = [
  word('hangup', 'True to hang up active calls. Can also be set in the body.', 'true', 'false'),
];
