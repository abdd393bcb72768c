/**
 * A call's journal as a story that a person can read: who called, which steps were visited, what was said, pressed and
 * answered, and where each outcome led. Pure: entries in, lines out; masked values stay masked.
 */
import { formatDuration } from '../core/duration.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { AudioItem, LegCommand, LegEvent } from '../core/leg.ts';
import type { JournalEntry, RunInput } from '../runtime/journal.ts';

export interface StoryLine {
  seq: number;
  /** Since the call began. */
  atMs: number;
  kind: 'call' | 'step' | 'out' | 'in' | 'outcome' | 'note';
  /** How many flows deep. */
  depth: number;
  text: string;
}

const LONGEST_VALUE = 100;

export function tellStory(entries: readonly JournalEntry[], options: { details?: boolean } = {}): StoryLine[] {
  const lines: StoryLine[] = [];
  const startedMs = entries[0]?.atMs ?? 0;
  let depth = 0;
  for (const entry of entries) {
    if (entry.kind === 'entered') depth = entry.depth;
    const told = tell(entry, options.details ?? false);
    if (told !== undefined) {
      lines.push({ seq: entry.seq, atMs: entry.atMs - startedMs, depth, kind: told[0], text: told[1] });
    }
  }
  return lines;
}

function tell(entry: JournalEntry, details: boolean): [StoryLine['kind'], string] | undefined {
  switch (entry.kind) {
    case 'started': {
      const { direction, from, to, flow, flowHash, input } = entry;
      const given = Object.keys(input).length > 0 ? ` with ${short(input)}` : '';
      return ['call', `${direction} call from ${from} to ${to}: flow ${flow} (${flowHash.slice(0, 8)})${given}`];
    }
    case 'in':
      return tellInput(entry.input, details);
    case 'entered':
      return ['step', `${entry.step}: ${entry.verb}`];
    case 'rendered':
      return details ? ['note', `with ${short(entry.input)}`] : undefined;
    case 'command':
      return ['out', tellCommand(entry.command)];
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

function tellInput(input: RunInput, details: boolean): [StoryLine['kind'], string] | undefined {
  switch (input.type) {
    case 'start':
      return undefined;
    case 'leg':
      return tellEvent(input.event, details);
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
      return ['in', `REST asks: ${tellAsked(input.command as unknown as JsonObject)}`];
  }
}

const tellAsked = ({ type, args, name, flow }: JsonObject): string =>
  [type, name, flow, args === undefined ? undefined : short(args)].filter((part) => part !== undefined).join(' ');

function tellEvent(event: LegEvent, details: boolean): [StoryLine['kind'], string] | undefined {
  switch (event.type) {
    case 'ringing':
      return ['in', 'far end rings'];
    case 'answered':
      return ['in', 'answered'];
    case 'digit':
      return ['in', `presses ${event.digit}`];
    case 'play_ended':
      if (event.reason === 'failed') return ['in', `prompt failed${event.fault ? `: ${event.fault.message}` : ''}`];
      return details ? ['in', `prompt ${event.reason} after ${formatDuration(event.playedMs)}`] : undefined;
    case 'record_ended': {
      const spoken = `${formatDuration(event.durationMs)}, of which ${formatDuration(event.speechMs)} speech`;
      return ['in', `recorded ${spoken} (${event.reason.replaceAll('_', ' ')})`];
    }
    case 'digits_sent':
      return details ? ['in', 'digits sent'] : undefined;
    case 'ended': {
      const who = { far: 'the other side hung up', near: 'hung up', network: 'the network ended the call' }[event.by];
      return ['in', who];
    }
  }
}

function tellCommand(command: LegCommand): string {
  switch (command.type) {
    case 'play':
      return `plays ${command.audio.map(tellAudio).join(', ')}${command.repeat ? ', again and again' : ''}`;
    case 'stop_play':
      return 'stops playing';
    case 'record':
      return `records for ${formatDuration(command.maxLengthMs)} at most`;
    case 'stop_record':
      return 'stops recording';
    case 'send_digits':
      return `sends ${command.digits}`;
    case 'reject':
      return `rejects with ${command.sipStatus}`;
    case 'hangup':
      return `hangs up (${command.cause})`;
    case 'progress':
      return 'opens the line before the answer';
    case 'ring':
      return 'rings';
    case 'answer':
      return 'answers';
  }
}

/** What one piece of audio is to a listener: `welcome "Good morning"`. */
export function tellAudio(item: AudioItem): string {
  const name = item.name === undefined ? '' : `${item.name} `;
  switch (item.type) {
    case 'speech':
      return `${name}${JSON.stringify(item.text)}`;
    case 'file':
      return item.name ?? item.file;
    case 'silence':
      return `${formatDuration(item.durationMs)} of silence`;
    case 'tone':
      return item.name ?? `a tone of ${formatDuration(item.durationMs)}`;
  }
}

function short(value: Json | JsonObject): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}

/** `  12.340` */
export const storyTime = (atMs: number): string => (atMs / 1000).toFixed(3).padStart(9);
