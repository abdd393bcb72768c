/** Describes a journal entry in a few words, and assigns it to a lane of the timeline. */
import { withHeaders } from '../../../../base/core/header-text.ts';
import type { Json } from '../../../../base/core/json.ts';
import type { LegEvent } from '../../../../base/core/leg.ts';
import type { SipHeaders } from '../../../../base/core/sip-headers.ts';
import type { Entry } from './entries.ts';
import { lengthInWords } from './moment.ts';
import { endWords } from './result-words.ts';
import { wordsOfAudio } from './sounds.ts';

/** Lanes: steps, what the caller hears, what the caller does, events outside, events inside the service. */
export type JournalLane = 'steps' | 'hears' | 'does' | 'outside' | 'inside';

export interface EntryWords {
  lane: JournalLane;
  text: string;
  isBad?: boolean;
}

export function wordsOf(entry: Entry): EntryWords {
  const words = withoutHeaders(entry);
  return { ...words, text: words.text + clip(withHeaders(headersOf(entry))) };
}

/** SIP headers of the message that caused the entry. */
function headersOf(entry: Entry): SipHeaders | undefined {
  switch (entry.kind) {
    case 'started':
    case 'dialled':
      return entry.headers;
    case 'command':
      return 'headers' in entry.command ? entry.command.headers : undefined;
    case 'in':
      return entry.input.type === 'leg' && 'headers' in entry.input.event ? entry.input.event.headers : undefined;
    default:
      return undefined;
  }
}

function withoutHeaders(entry: Entry): EntryWords {
  switch (entry.kind) {
    case 'started':
      return {
        lane: 'steps',
        text: `${entry.direction} call from ${entry.from} to ${entry.to}, flow ${entry.flow}`,
      };
    case 'entered':
      return { lane: 'steps', text: `into ${entry.step} (${entry.verb})` };
    case 'left':
      return {
        lane: 'steps',
        text: `${entry.step}: ${entry.outcome}${entry.fault ? `, ${entry.fault.message}` : ''}`,
        ...(entry.fault !== undefined && { isBad: true }),
      };
    case 'skipped':
      return { lane: 'steps', text: `${entry.step} is skipped` };
    case 'command':
      return { lane: 'hears', text: `${partyOf(entry.leg)}${wordsOfCommand(entry.command)}` };
    case 'dialled':
      return { lane: 'outside', text: `calls ${entry.to}` };
    case 'request':
      return { lane: 'outside', text: `${entry.method} ${entry.url}` };
    case 'vars':
      return { lane: 'inside', text: membersOf(entry.set) || 'no variable is set' };
    case 'timer':
      return { lane: 'inside', text: `waits at most ${lengthInWords(entry.afterMs)}` };
    case 'venue':
      return { lane: 'outside', text: `${entry.venue} ${entry.name}: ${entry.event}` };
    case 'digit':
      return { lane: 'does', text: `key ${entry.digit} while connected` };
    case 'notified':
      return { lane: 'outside', text: `event ${entry.event} is sent` };
    case 'refused':
      return { lane: 'outside', text: `${entry.command} is refused: ${entry.refusal}`, isBad: true };
    case 'log':
      return { lane: 'inside', text: `log ${entry.level}: ${entry.message}`, isBad: entry.level === 'error' };
    case 'diagnostic':
      return { lane: 'inside', text: entry.message, isBad: true };
    case 'transcript':
      return { lane: entry.track === 'inbound' ? 'does' : 'hears', text: `“${entry.text}”` };
    case 'held':
      return { lane: 'does', text: entry.held ? 'is put on hold' : 'is taken back from hold' };
    case 'recording':
      return { lane: 'inside', text: `recording ${entry.name ?? ''} ${entry.state}`.replace('  ', ' ') };
    case 'state':
      return { lane: 'inside', text: `call is ${entry.state}` };
    case 'ended':
      return {
        lane: 'steps',
        text: `call ended: ${entry.reason}${entry.fault ? `, ${entry.fault.message}` : ''}`,
        isBad: entry.fault !== undefined,
      };
    case 'in':
      return wordsOfInput(entry.input);
    default:
      return { lane: 'inside', text: wordsOfUnknown(entry) };
  }
}

function wordsOfInput(input: Extract<Entry, { kind: 'in' }>['input']): EntryWords {
  switch (input.type) {
    case 'leg':
      return wordsOfEvent(input.event, input.leg);
    case 'http': {
      const { reply } = input;
      const text = reply.ok ? `answer ${reply.status}` : `no answer: ${reply.reason}`;
      return { lane: 'outside', text, isBad: !reply.ok };
    }
    case 'command': {
      const { type, ...rest } = input.command;
      return { lane: 'outside', text: `application asks: ${type} ${membersOf(rest)}`.trim() };
    }
    case 'venue':
      return { lane: 'outside', text: `${input.name} ${clip(JSON.stringify(input.data))}` };
    case 'deadline':
      return { lane: 'inside', text: 'the timeout has passed' };
    case 'max_duration':
      return { lane: 'inside', text: 'the call may not last longer', isBad: true };
    case 'lost':
      return { lane: 'inside', text: 'the service stopped during the call', isBad: true };
    default:
      return { lane: 'inside', text: String(input.type) };
  }
}

function wordsOfEvent(event: LegEvent, leg: string | undefined): EntryWords {
  const party = partyOf(leg);
  const lane: JournalLane = leg === undefined ? 'does' : 'outside';
  switch (event.type) {
    case 'digit':
      return { lane, text: `${party}presses ${event.digit}` };
    case 'play_ended':
      return { lane: 'hears', text: `${party}${endOfPlay(event)}` };
    case 'speech_started':
      return { lane, text: `${party}begins to speak` };
    case 'utterance':
      return { lane, text: `${party}“${event.text}”` };
    case 'listen_ended':
      return {
        lane,
        text: `${party}${event.text === undefined ? event.reason.replaceAll('_', ' ') : `“${event.text}”, ${event.reason.replaceAll('_', ' ')}`}`,
        isBad: event.reason === 'failed',
      };
    case 'ended':
      return { lane, text: `${party}${event.by === 'far' ? 'hangs up' : 'hung up'} (${endWords(event.cause.reason)})` };
    case 'far_hold':
      return { lane, text: `${party}${event.held ? 'puts us on hold' : 'takes us back'}` };
    case 'referred':
      return { lane, text: `${party}asks to be connected with ${event.to}` };
    case 'machine_detected':
      return { lane, text: `${party}is a ${event.result}` };
    default:
      return { lane, text: `${party}${event.type.replaceAll('_', ' ')}` };
  }
}

function wordsOfCommand(command: Extract<Entry, { kind: 'command' }>['command']): string {
  if (command.type === 'play') return `“${wordsOfAudio(command.audio)}”`;
  if (command.type === 'send_digits') return `hears the keys ${command.digits}`;
  return command.type.replaceAll('_', ' ');
}

/** The caller's own leg is not named. */
const partyOf = (leg: string | undefined): string => (leg === undefined ? '' : `${leg} `);

function wordsOfUnknown(entry: { kind: string }): string {
  const { seq: _seq, atMs: _atMs, kind, ...rest } = entry as Record<string, unknown> & { kind: string };
  return `${kind} ${membersOf(rest)}`.trim();
}

const membersOf = (members: Readonly<Record<string, unknown>>): string =>
  clip(
    Object.entries(members)
      .map(([key, value]) => `${key} = ${typeof value === 'string' ? value : JSON.stringify(value as Json)}`)
      .join(', '),
  );

const LONGEST = 160;
const endOfPlay = ({ reason, playedMs }: Extract<LegEvent, { type: 'play_ended' }>): string =>
  reason === 'finished'
    ? `played to the end (${lengthInWords(playedMs)})`
    : `${reason} after ${lengthInWords(playedMs)}`;

const clip = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
