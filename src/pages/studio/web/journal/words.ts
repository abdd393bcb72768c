/** Describes a journal entry in a few words, and assigns it to a lane of the timeline. */
import { withHeaders } from '../../../../base/core/header-text.ts';
import type { Json } from '../../../../base/core/json.ts';
import type { LegEvent } from '../../../../base/core/leg.ts';
import type { SipHeaders } from '../../../../base/core/sip-headers.ts';
import { t } from '../../../shared/web/words/translate.ts';
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
        text: beginWords(entry),
      };
    case 'entered':
      return { lane: 'steps', text: t('into {step} ({verb})', { step: entry.step, verb: entry.verb }) };
    case 'left':
      return {
        lane: 'steps',
        text: `${entry.step}: ${entry.outcome}${entry.fault ? `, ${entry.fault.message}` : ''}`,
        ...(entry.fault !== undefined && { isBad: true }),
      };
    case 'skipped':
      return { lane: 'steps', text: t('{step} is skipped', { step: entry.step }) };
    case 'command':
      return { lane: 'hears', text: `${partyOf(entry.leg)}${wordsOfCommand(entry.command)}` };
    case 'dialled':
      return { lane: 'outside', text: t('calls {to}', { to: entry.to }) };
    case 'request':
      return { lane: 'outside', text: `${entry.method} ${entry.url}` };
    case 'vars':
      return { lane: 'inside', text: membersOf(entry.set) || t('no variable is set') };
    case 'timer':
      return { lane: 'inside', text: t('waits at most {length}', { length: lengthInWords(entry.afterMs) }) };
    case 'venue':
      return { lane: 'outside', text: `${entry.venue} ${entry.name}: ${entry.event}` };
    case 'digit':
      return { lane: 'does', text: t('key {digit} while connected', { digit: entry.digit }) };
    case 'notified':
      return { lane: 'outside', text: t('event {event} is sent', { event: entry.event }) };
    case 'refused':
      return {
        lane: 'outside',
        text: t('{command} is refused: {refusal}', { command: entry.command, refusal: entry.refusal }),
        isBad: true,
      };
    case 'log':
      return {
        lane: 'inside',
        text: t('log {level}: {message}', { level: entry.level, message: entry.message }),
        isBad: entry.level === 'error',
      };
    case 'diagnostic':
      return { lane: 'inside', text: entry.message, isBad: true };
    case 'transcript':
      return { lane: entry.track === 'inbound' ? 'does' : 'hears', text: `“${entry.text}”` };
    case 'held':
      return { lane: 'does', text: entry.held ? t('is put on hold') : t('is taken back from hold') };
    case 'recording':
      return {
        lane: 'inside',
        text:
          entry.name === undefined
            ? t('recording {state}', { state: entry.state })
            : t('recording {name} {state}', { name: entry.name, state: entry.state }),
      };
    case 'state':
      return { lane: 'inside', text: t('call is {state}', { state: entry.state }) };
    case 'ended':
      return {
        lane: 'steps',
        text: entry.fault
          ? t('call ended: {reason}, {fault}', { reason: entry.reason, fault: entry.fault.message })
          : t('call ended: {reason}', { reason: entry.reason }),
        isBad: entry.fault !== undefined,
      };
    case 'in':
      return wordsOfInput(entry.input);
    default:
      return { lane: 'inside', text: wordsOfUnknown(entry) };
  }
}

const beginWords = ({ direction, ...values }: Extract<Entry, { kind: 'started' }>): string => {
  const { from, to, flow } = values;
  return direction === 'inbound'
    ? t('inbound call from {from} to {to}, flow {flow}', { from, to, flow })
    : t('outbound call from {from} to {to}, flow {flow}', { from, to, flow });
};

function wordsOfInput(input: Extract<Entry, { kind: 'in' }>['input']): EntryWords {
  switch (input.type) {
    case 'leg':
      return wordsOfEvent(input.event, input.leg);
    case 'http': {
      const { reply } = input;
      const text = reply.ok
        ? t('answer {status}', { status: reply.status })
        : t('no answer: {reason}', { reason: reply.reason });
      return { lane: 'outside', text, isBad: !reply.ok };
    }
    case 'command': {
      const { type, ...rest } = input.command;
      return {
        lane: 'outside',
        text: t('application asks: {type} {members}', { type, members: membersOf(rest) }).trim(),
      };
    }
    case 'venue':
      return { lane: 'outside', text: `${input.name} ${clip(JSON.stringify(input.data))}` };
    case 'deadline':
      return { lane: 'inside', text: t('the timeout has passed') };
    case 'max_duration':
      return { lane: 'inside', text: t('the call may not last longer'), isBad: true };
    case 'lost':
      return { lane: 'inside', text: t('the service stopped during the call'), isBad: true };
    default:
      return { lane: 'inside', text: String(input.type) };
  }
}

function wordsOfEvent(event: LegEvent, leg: string | undefined): EntryWords {
  const said = (words: string): string => partyOf(leg) + words;
  const lane: JournalLane = leg === undefined ? 'does' : 'outside';
  switch (event.type) {
    case 'digit':
      return { lane, text: said(t('presses {digit}', { digit: event.digit })) };
    case 'play_ended':
      return { lane: 'hears', text: said(endOfPlay(event)) };
    case 'speech_started':
      return { lane, text: said(t('begins to speak')) };
    case 'utterance':
      return { lane, text: said(`“${event.text}”`) };
    case 'listen_ended':
      return {
        lane,
        text: said(`${event.text === undefined ? '' : `“${event.text}”, `}${event.reason.replaceAll('_', ' ')}`),
        isBad: event.reason === 'failed',
      };
    case 'ended':
      return {
        lane,
        text: said(`${event.by === 'far' ? t('hangs up') : t('hung up')} (${endWords(event.cause.reason)})`),
      };
    case 'far_hold':
      return { lane, text: said(event.held ? t('puts us on hold') : t('takes us back')) };
    case 'referred':
      return { lane, text: said(t('asks to be connected with {to}', { to: event.to })) };
    case 'machine_detected':
      return { lane, text: said(t('is a {result}', { result: event.result })) };
    default:
      return { lane, text: said(event.type.replaceAll('_', ' ')) };
  }
}

function wordsOfCommand(command: Extract<Entry, { kind: 'command' }>['command']): string {
  if (command.type === 'play') return `“${wordsOfAudio(command.audio)}”`;
  if (command.type === 'send_digits') return t('hears the keys {digits}', { digits: command.digits });
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
    ? t('played to the end ({length})', { length: lengthInWords(playedMs) })
    : t('{reason} after {length}', { reason, length: lengthInWords(playedMs) });

const clip = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);
