/**
 * A call's journal as a story that a person can read: who called, which steps were visited, what was said, pressed and
 * answered, and where each outcome led. Pure: entries in, lines out; masked values stay masked.
 */
import { formatDuration } from '../core/duration.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { CallInput, JournalEntry } from '../runtime/journal.ts';
import { describeLegCommand, describeLegEvent } from './leg-text.ts';

export interface TraceLine {
  seq: number;
  /** Since the call began. */
  atMs: number;
  kind: 'call' | 'step' | 'out' | 'in' | 'outcome' | 'note';
  /** How many flows deep. */
  depth: number;
  text: string;
}

const LONGEST_VALUE = 100;

export function traceLines(entries: readonly JournalEntry[], options: { details?: boolean } = {}): TraceLine[] {
  const lines: TraceLine[] = [];
  const startedMs = entries[0]?.atMs ?? 0;
  let depth = 0;
  for (const entry of entries) {
    if (entry.kind === 'entered') depth = entry.depth;
    const told = describeEntry(entry, options.details ?? false);
    if (told !== undefined) {
      lines.push({ seq: entry.seq, atMs: entry.atMs - startedMs, depth, kind: told[0], text: told[1] });
    }
  }
  return lines;
}

function describeEntry(entry: JournalEntry, details: boolean): [TraceLine['kind'], string] | undefined {
  switch (entry.kind) {
    case 'started': {
      const { direction, from, to, flow, flowHash, input } = entry;
      const given = Object.keys(input).length > 0 ? ` with ${short(input)}` : '';
      return ['call', `${direction} call from ${from} to ${to}: flow ${flow} (${flowHash.slice(0, 8)})${given}`];
    }
    case 'in':
      return describeInput(entry.input, details);
    case 'entered':
      return ['step', `${entry.step}: ${entry.verb}`];
    case 'rendered':
      return details ? ['note', `with ${short(entry.input)}`] : undefined;
    case 'command':
      return ['out', `${legPrefix(entry.leg)}${describeLegCommand(entry.command)}`];
    case 'dialled':
      return ['out', `calls ${entry.to} from ${entry.from}${details ? ` (${entry.leg})` : ''}`];
    case 'bridge': {
      const why = entry.cause ? ` (${entry.cause.code} ${entry.cause.reason})` : '';
      return ['call', `bridge with ${entry.to}: ${entry.state.replaceAll('_', ' ')}${why}`];
    }
    case 'transferred':
      return ['call', `transfer to ${entry.to}: done`];
    case 'untransferred':
      return ['call', `transfer to ${entry.to}: failed (${entry.cause.code} ${entry.cause.reason})`];
    case 'digit':
      // The key itself was told when it came in.
      return undefined;
    case 'held':
      return ['call', entry.held ? 'call is held' : 'call is resumed'];
    case 'recording': {
      const name = entry.name === undefined ? '' : ` ${entry.name}`;
      return ['note', `recording${name} ${entry.state}${because(entry.description)}`];
    }
    case 'stream':
      return ['note', `${entry.state.replaceAll('_', ' ')}${because(entry.description)}`];
    case 'transcript':
      return ['in', `${entry.track === 'inbound' ? 'caller says' : 'caller hears'} ${short(entry.text)}`];
    case 'venue': {
      const told = details && entry.event !== 'left' ? ` ${short(entry.data)}` : '';
      return ['in', `${entry.venue} ${entry.name}: ${entry.event}${told}`];
    }
    case 'request':
      return ['out', `${entry.method} ${entry.url}${entry.body === undefined ? '' : ` ${short(entry.body)}`}`];
    case 'timer':
      return details ? ['note', `waits ${formatDuration(entry.afterMs)} at most`] : undefined;
    case 'left': {
      if (entry.outcome.startsWith('$')) return ['outcome', `interrupted by ${entry.outcome.slice(1)}`];
      const result = entry.result === undefined || entry.result === null ? '' : ` ${short(entry.result)}`;
      const why = entry.fault ? ` (${entry.fault.code}: ${entry.fault.message})` : '';
      return ['outcome', `${entry.outcome}${result}${why}`];
    }
    case 'skipped':
      return ['note', 'skipped, because its `when` is not true'];
    case 'vars':
      return [
        'note',
        Object.entries(entry.set)
          .map(([name, value]) => `sets ${name} = ${short(value)}`)
          .join(', '),
      ];
    case 'state':
      // That a call comes in is how the story begins.
      if (entry.state === 'incomingcall') return undefined;
      return ['call', `call is ${entry.state}${entry.cause ? ` (${entry.cause.code} ${entry.cause.reason})` : ''}`];
    case 'refused':
      return ['note', `refuses the command ${entry.command}: ${entry.refusal}`];
    case 'unplayed':
      return ['note', `never came to play ${entry.promptRef ?? entry.playId}`];
    case 'unjoined':
      return ['note', `never came to join the ${entry.venue} ${entry.name}`];
    case 'notified':
      return ['out', `tells ${entry.event} ${short(entry.body)}`];
    case 'log': {
      const fields = Object.keys(entry.fields).length > 0 ? ` ${short(entry.fields)}` : '';
      return ['note', `log ${entry.level}: ${entry.message}${fields}`];
    }
    case 'diagnostic':
      return ['note', `${entry.code}: ${entry.message}`];
    case 'ended': {
      const why = entry.fault ? `: ${entry.fault.code}, ${entry.fault.message}` : '';
      const output = entry.output === undefined ? '' : ` with ${short(entry.output)}`;
      return ['call', `flow ends, ${entry.reason}${why}${output}`];
    }
  }
}

function describeInput(input: CallInput, details: boolean): [TraceLine['kind'], string] | undefined {
  switch (input.type) {
    case 'start':
      return undefined;
    case 'leg': {
      const told = describeLegEvent(input.event, details);
      return told === undefined ? undefined : ['in', `${legPrefix(input.leg)}${told}`];
    }
    case 'venue':
      // The entry that follows says it in the words of the place.
      return undefined;
    case 'taken_over':
      return ['in', input.leg === undefined ? 'nobody can be taken over' : `takes over ${input.to ?? input.leg}`];
    case 'given_up':
      return ['in', 'another call takes over the party'];
    case 'deadline':
      return ['in', 'time is up'];
    case 'max_duration':
      return ['in', 'the call reached its longest duration'];
    case 'lost':
      return ['in', 'the service stopped during the call'];
    case 'http': {
      const { reply } = input;
      if (!reply.ok) return ['in', `no answer: ${reply.reason} (${reply.message})`];
      return ['in', `answer ${reply.status}${reply.body === null ? '' : ` ${short(reply.body)}`}`];
    }
    case 'command':
      return [
        'in',
        `${input.source === 'webhook' ? 'an answer' : 'REST'} asks: ${describeCommand(input.command as unknown as JsonObject)}`,
      ];
  }
}

const legPrefix = (leg: string | undefined): string => (leg === undefined ? '' : `${leg}: `);

const because = (description: string | undefined): string => (description === undefined ? '' : `: ${description}`);

const describeCommand = ({ type, args, name, flow }: JsonObject): string =>
  [type, name, flow, args === undefined ? undefined : short(args)].filter((part) => part !== undefined).join(' ');

function short(value: Json | JsonObject): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}

/** `  12.340` */
export const traceTime = (atMs: number): string => (atMs / 1000).toFixed(3).padStart(9);
