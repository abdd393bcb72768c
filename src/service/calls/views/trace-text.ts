/**
 * Renders a call's journal as readable lines: parties, steps, prompts, input, and outcomes. Pure: entries in, lines
 * out; masked values stay masked.
 */
import type { Cause } from '../../../base/core/causes.ts';
import { onOneLine } from '../../../base/core/control-characters.ts';
import { formatDuration, secondsColumn } from '../../../base/core/duration.ts';
import { withHeaders } from '../../../base/core/header-text.ts';
import type { Json, JsonObject } from '../../../base/core/json.ts';
import type { CallInput, JournalEntry } from '../../runtime/journal.ts';
import { describeLegCommand, describeLegEvent, sipDetails } from './leg-text.ts';

export interface TraceLine {
  seq: number;
  /** Milliseconds since the start of the call. */
  atMs: number;
  kind: 'call' | 'step' | 'out' | 'in' | 'outcome' | 'note';
  /** Nesting depth of subflows. */
  depth: number;
  text: string;
}

const MAX_VALUE = 100;

export interface TraceOptions {
  details?: boolean;
  /** Start of the call; default: time of the first entry. */
  startedMs?: number;
}

export const traceLines = (entries: readonly JournalEntry[], options: TraceOptions = {}): TraceLine[] =>
  createTracer({ startedMs: entries[0]?.atMs ?? 0, ...options })(entries);

/** Renders a journal that is read in pages. */
export function createTracer({ details = false, startedMs = 0 }: TraceOptions) {
  let depth = 0;
  return (entries: readonly JournalEntry[]): TraceLine[] =>
    entries.flatMap((entry): TraceLine[] => {
      if (entry.kind === 'entered') depth = entry.depth;
      const [kind, describe] = ENTRIES[entry.kind] ?? [];
      const text = (describe as Describe<JournalEntry> | undefined)?.(entry, { details });
      if (kind === undefined || text === undefined) return [];
      return [{ seq: entry.seq, atMs: entry.atMs - startedMs, depth, kind, text }];
    });
}

const MARKS: Readonly<Record<TraceLine['kind'], string>> = {
  call: '',
  step: '',
  out: '  > ',
  in: '  < ',
  outcome: '  = ',
  note: '    ',
};

/** A line in print layout: time and text. */
export const layOut = ({ atMs, depth, kind, text }: TraceLine): { time: string; what: string } => ({
  time: secondsColumn(atMs),
  what: `${'  '.repeat(depth)}${MARKS[kind]}${onOneLine(text)}`,
});

/** Undefined if the entry is never shown, or only with `--details`. */
type Describe<Entry> = (entry: Entry, shown: { details: boolean }) => string | undefined;
type EntryOf<Kind> = Extract<JournalEntry, { kind: Kind }>;
type InputOf<Type> = Extract<CallInput, { type: Type }>;

const ENTRIES: { [Kind in JournalEntry['kind']]: [TraceLine['kind'], Describe<EntryOf<Kind>>] } = {
  started: [
    'call',
    ({ direction, from, to, flow, flowHash, input, sip, headers }, { details }) =>
      `${direction} call from ${from} to ${to}: flow ${flow} (${flowHash.slice(0, 8)})${withAny(input)}${withHeaders(headers)}${details ? sipDetails(sip) : ''}`,
  ],
  in: ['in', ({ input }, shown) => (INPUTS[input.type] as Describe<CallInput> | undefined)?.(input, shown)],
  entered: ['step', ({ step, verb }) => `${step}: ${verb}`],
  rendered: ['note', ({ input }, { details }) => (details ? `with ${short(input)}` : undefined)],
  command: ['out', ({ leg, command }) => `${legPrefix(leg)}${describeLegCommand(command)}`],
  dialled: [
    'out',
    ({ to, from, leg, headers }, { details }) =>
      `calls ${to} from ${from}${details ? ` (${leg})` : ''}${withHeaders(headers)}`,
  ],
  bridge: ['call', ({ to, state, cause }) => `bridge with ${to}: ${state.replaceAll('_', ' ')}${causeText(cause)}`],
  transferred: ['call', ({ to }) => `transfer to ${to}: done`],
  untransferred: ['call', ({ to, cause }) => `transfer to ${to}: failed${causeText(cause)}`],
  // The leg event before this entry was shown already.
  digit: ['in', () => undefined],
  held: ['call', ({ held }) => (held ? 'call is held' : 'call is resumed')],
  recording: [
    'note',
    ({ name, state, description }) =>
      `recording${name === undefined ? '' : ` ${name}`} ${state}${because(description)}`,
  ],
  stream: ['note', ({ state, description }) => `${state.replaceAll('_', ' ')}${because(description)}`],
  transcript: ['in', ({ track, text }) => `${track === 'inbound' ? 'caller says' : 'caller hears'} ${short(text)}`],
  venue: [
    'in',
    ({ venue, name, event, data }, { details }) =>
      `${venue} ${name}: ${event}${details && event !== 'left' ? ` ${short(data)}` : ''}`,
  ],
  request: ['out', ({ method, url, body }) => `${method} ${url}${body === undefined ? '' : ` ${short(body)}`}`],
  timer: ['note', ({ afterMs }, { details }) => (details ? `waits ${formatDuration(afterMs)} at most` : undefined)],
  left: [
    'outcome',
    ({ outcome, result = null, fault }) => {
      if (outcome.startsWith('$')) return `interrupted by ${outcome.slice(1)}`;
      const why = fault ? ` (${fault.code}: ${fault.message})` : '';
      return `${outcome}${result === null ? '' : ` ${short(result)}`}${why}`;
    },
  ],
  skipped: ['note', () => 'skipped, because its `when` is not true'],
  vars: [
    'note',
    ({ set }) =>
      Object.entries(set)
        .map(([name, value]) => `sets ${name} = ${short(value)}`)
        .join(', '),
  ],
  // The first line of the trace shows the inbound call.
  state: ['call', ({ state, cause }) => (state === 'incomingcall' ? undefined : `call is ${state}${causeText(cause)}`)],
  refused: ['note', ({ command, refusal }) => `refuses the command ${command}: ${refusal}`],
  unplayed: ['note', ({ promptRef, playId }) => `did not come to play ${promptRef ?? playId}`],
  unjoined: ['note', ({ venue, name }) => `did not come to join the ${venue} ${name}`],
  notified: ['out', ({ event, body }) => `sends the event ${event} ${short(body)}`],
  log: [
    'note',
    ({ level, message, fields }) =>
      `log ${level}: ${message}${Object.keys(fields).length > 0 ? ` ${short(fields)}` : ''}`,
  ],
  diagnostic: ['note', ({ code, message }) => `${code}: ${message}`],
  ended: [
    'call',
    ({ reason, fault, output }) => {
      const why = fault ? `: ${fault.code}, ${fault.message}` : '';
      return `flow ends, ${reason}${why}${output === undefined ? '' : ` with ${short(output)}`}`;
    },
  ],
};

const INPUTS: { [Type in CallInput['type']]: Describe<InputOf<Type>> } = {
  start: () => undefined,
  leg({ leg, event }, { details }) {
    const text = describeLegEvent(event, details);
    return text === undefined ? undefined : `${legPrefix(leg)}${text}`;
  },
  // The following entry describes these.
  venue: () => undefined,
  diagnosis: () => undefined,
  taken_over: ({ leg, to }) => (leg === undefined ? 'no party can be taken over' : `takes over ${to ?? leg}`),
  given_up: () => 'another call takes over the party',
  deadline: () => 'time is up',
  max_duration: () => 'the call reached its longest duration',
  adopted: ({ by }) => `continues on ${by}`,
  lost: () => 'the service stopped during the call',
  http({ reply }) {
    if (!reply.ok) return `no answer: ${reply.reason} (${reply.message})`;
    return `answer ${reply.status}${reply.body === null ? '' : ` ${short(reply.body)}`}`;
  },
  command: ({ source, command }) =>
    `${source === 'webhook' ? 'an answer' : 'REST'} asks: ${describeCommand(command as unknown as JsonObject)}`,
};

const withAny = (input: JsonObject): string => (Object.keys(input).length > 0 ? ` with ${short(input)}` : '');

const causeText = (cause: Cause | undefined): string => (cause ? ` (${cause.code} ${cause.reason})` : '');

const legPrefix = (leg: string | undefined): string => (leg === undefined ? '' : `${leg}: `);

const because = (description: string | undefined): string => (description === undefined ? '' : `: ${description}`);

const describeCommand = ({ type, args, name, flow }: JsonObject): string =>
  [type, name, flow, args === undefined ? undefined : short(args)].filter((part) => part !== undefined).join(' ');

function short(value: Json | JsonObject): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}
