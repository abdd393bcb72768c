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
    throw new ApiError('bad_request', `there is no parameter ${name.slice(0, 64)}`, {
      hint: `the parameters are ${parameters.map((parameter) => parameter.name).join(', ')}`,
    });
  }
  const query: Record<string, string | number> = {};
  for (const { name, schema, parse = parserOf(schema), expected = expectedBy(schema) } of parameters) {
    const written = given.get(name) ?? '';
    const value = written.trim() === '' ? schema.default : parse(written.slice(0, MAX_VALUE_LENGTH));
    if (value !== undefined) query[name] = value;
    else if (written.trim() !== '') {
      throw new ApiError('bad_request', `${name} is not as it must be`, { hint: expected });
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
  expected: 'a moment such as 2026-03-02T09:30:00Z',
});

export const LIMIT: QueryParameter = {
  name: 'limit',
  description: 'How many.',
  schema: { type: 'integer', minimum: 1, maximum: 500, default: 100 },
};
const CURSOR = text('cursor', '`next` of the page before.');

export const foreignCursor = (): ApiError =>
  new ApiError('bad_request', 'cursor is not one of ours', { hint: 'use `next` of the page before' });

export const CONF_NUM = text('conf_num', 'Of which session.');

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
    description: 'The entries after this `seq`; 0 for all.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_SEQ, default: 0 },
  },
  {
    name: 'limit',
    description: 'How many; fewer are answered where they are long.',
    schema: { type: 'integer', minimum: 1, maximum: 2000, default: 500 },
  },
];

export const TRACE_QUERY: readonly QueryParameter[] = [
  ...JOURNAL_PAGE,
  word('format', '`text`: all of it for people, in place of JSON.', 'json', 'text'),
];

export const SIP_QUERY: readonly QueryParameter[] = [
  word('format', '`pcap`: a capture file for Wireshark; `text`: for people; in place of JSON.', 'json', 'pcap', 'text'),
];

export const PEAKS_QUERY: readonly QueryParameter[] = [
  {
    name: 'per_second',
    description: 'How many parts a second has; fewer where the recording is very long.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
];

export const FIGURES_QUERY: readonly QueryParameter[] = [
  moment('since', 'Of calls that began then or later; ISO 8601. Default: a day ago.'),
  text('version', 'Only of calls that began with this version of the flow: its hash.'),
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
  word('direction', 'Of which direction.', 'Inbound', 'Outbound'),
  word('state', 'As events have it; `live`: any while the call goes on.', 'live', ...STATES),
  number('from', 'The calling party.'),
  number('to', 'The called party.'),
  text('flow', 'The flow it began with.'),
  text('owner_ref', 'As it was given.'),
  text('app_instance', 'The broadcast that made it.'),
  moment('started_from', 'Began then or later; ISO 8601.'),
  moment('started_to', 'Began then or earlier; ISO 8601.'),
];

export const CALL_EXPORT: readonly QueryParameter[] = [
  moment('since', 'Began then or later; ISO 8601.'),
  moment('until', 'Began before that; ISO 8601.'),
  text('project', 'Of this project; default: of all.'),
  number('number', 'Who called, who was called, or who was reached by a bridge; however it is written.'),
  word('direction', 'Of which direction.', 'Inbound', 'Outbound'),
  word('state', 'As events have it; `live`: any while the call goes on.', 'live', ...STATES),
  text('flow', 'The flow it began with.'),
  text('app_instance', 'The broadcast that made it.'),
  {
    name: 'limit',
    description: 'How many. As JSON 100 are usual, and 500 the most; otherwise all are.',
    schema: { type: 'integer', minimum: 1, maximum: 100_000_000 },
  },
  CURSOR,
  word('format', 'In place of `Accept`.', 'json', 'csv', 'ndjson'),
];

export const EVENT_FILTERS: readonly QueryParameter[] = [
  text('flow', 'Calls that began with this flow or came into it, and their steps.'),
];

/** `limit=0` returns only the totals. */
const MAX_REPORT = 10_000;

export const REPORT_FILTERS: readonly QueryParameter[] = [
  {
    name: 'limit',
    description: 'How many; 0 for the totals alone.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_REPORT, default: MAX_REPORT },
  },
  CURSOR,
  word('state', 'Where they stand.', 'queued', 'ringing', 'connected', 'disconnected'),
  word('code', 'Of their result.', 'success', 'failed'),
  text('reason', 'Of their result.'),
  number('number', 'One of them.'),
];

export const STOP_OPTIONS: readonly QueryParameter[] = [
  word('hangup', 'Whether calls that go on are hung up; the body may say it instead.', 'true', 'false'),
];
