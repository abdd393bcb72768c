/** Journal of a room as text, newest first. Shown by `room-history.tsx`. */

import { roleWords, sourceWords } from '../../../shared/web/role-words.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { type ListedRoom, pathOf } from './video-rooms.ts';

/** Entry in the API; further fields depend on the type. */
export interface RoomEntry {
  conf_num: string;
  at: string;
  type: string;
  call_num?: string;
  name?: string;
  role?: string;
  sip?: boolean;
  reason?: string;
  on?: boolean;
  /** A participant's id, or `administrator`. */
  by?: string;
  command?: string;
  source?: string;
  muted?: boolean;
  hard?: boolean;
  given?: boolean;
  direction?: 'send' | 'receive';
  state?: 'renewed' | 'failed' | 'started' | 'closed';
  /** Id of the participant that publishes the blocked stream. */
  of?: string;
  codec?: string;
  rating?: number;
  question?: string;
  answers?: readonly { text: string; votes: number }[];
  text?: string;
}

export interface EntryInWords {
  key: string;
  at: string;
  words: string;
}

const MOST = 200;

export async function readJournal(
  room: ListedRoom,
  signal: AbortSignal,
): Promise<{ entries: EntryInWords[]; isWhole: boolean }> {
  const { entries, next } = await request<{ entries: RoomEntry[]; next?: string }>(
    `${pathOf(room)}/journal?limit=${MOST}`,
    { signal },
  );
  return { entries: inWords(entries), isWhole: next === undefined };
}

/** Skips entries that repeat others. Unknown types of a later version are shown by their name. */
export function inWords(entries: readonly RoomEntry[]): EntryInWords[] {
  const names = new Map(entries.flatMap(({ call_num: id, name }) => (id && name ? [[id, name]] : [])));
  const nameOf = (id: string | undefined): string =>
    id === 'administrator' ? t('An administrator') : (names.get(id ?? '') ?? t('Somebody'));
  return entries.flatMap((entry, index) => {
    const words = wordsOf(entry, nameOf);
    return words === undefined ? [] : [{ key: `${entry.conf_num} ${entries.length - index}`, at: entry.at, words }];
  });
}

const REASONS: Readonly<Record<string, string>> = {
  left: t('left'),
  dropped: t('was sent out'),
  lost: t('lost the link and did not come back'),
  ended: t('left with the end of the session'),
};

const BLOCKED: Readonly<Record<string, string>> = {
  no_codec: t('the browser does not have the codec'),
  not_allowed: t('the room does not allow it'),
  not_offered: t('the client does not send it'),
};

function wordsOf(entry: RoomEntry, nameOf: (id?: string) => string): string | undefined {
  const { type, name = t('Somebody'), role, sip, reason = '', on, by } = entry;
  switch (type) {
    case 'active':
      return t('The session began');
    case 'joined':
      return sip
        ? t('{name} came in ({role}, telephone)', { name, role: roleWords(role) })
        : t('{name} came in ({role})', { name, role: roleWords(role) });
    case 'left':
      return `${name} ${REASONS[reason] ?? t('left')}`;
    case 'recording':
      return recordingWords(on === true, by === undefined ? undefined : nameOf(by));
    case 'moderated':
      return wordsOfCommand(entry, nameOf(by));
    case 'connection':
      return wordsOfConnection(entry);
    case 'blocked':
      return wordsOfBlocked(entry, nameOf);
    case 'poll':
      if (entry.state === 'started')
        return t('{by} asked: {question}', { by: nameOf(by), question: entry.question ?? '' });
      return t('The poll was closed: {question} {answers}', {
        question: entry.question ?? '',
        answers: (entry.answers ?? []).map(({ text: answer, votes }) => `${answer} ${votes}`).join(', '),
      });
    case 'captions':
      if (on !== true) return t('captions ended');
      return by === undefined ? t('captions began') : t('{by}: captions began', { by: nameOf(by) });
    case 'invited':
      return t('{by} created a link for {name} ({role})', { by: nameOf(by), name, role: roleWords(role) });
    case 'invitation_revoked':
      return t('{by} withdrew a link', { by: nameOf(by) });
    case 'feedback': {
      const { rating = 0, text } = entry;
      if (text === undefined) return t('{name} rated the session {rating} of 5', { name, rating });
      return t('{name} rated the session {rating} of 5: {text}', { name, rating, text });
    }
    case 'media_restarted':
      return t('Media restarted');
    case 'over':
      return reason === 'crash' ? t('The session was cut off: the service died') : t('The session ended');
    default:
      return type.replaceAll('_', ' ');
  }
}

function recordingWords(isOn: boolean, by: string | undefined): string {
  if (by === undefined) return isOn ? t('recording began') : t('recording ended');
  return isOn ? t('{by}: recording began', { by }) : t('{by}: recording ended', { by });
}

function wordsOfBlocked(entry: RoomEntry, nameOf: (id?: string) => string): string {
  const { name = t('Somebody'), direction, source, of, reason = '', codec } = entry;
  const why = BLOCKED[reason] ?? reason;
  const what = sourceWords(source);
  if (direction === 'send') return t('The {source} of {name} is not forwarded: {why}', { source: what, name, why });
  return t('{name} does not receive the {source} of {other}: {why}', {
    name,
    source: what,
    other: nameOf(of),
    why: codec ? `${why} (${codec})` : why,
  });
}

function wordsOfConnection({ name = t('Somebody'), direction, state }: RoomEntry): string {
  const what = direction === 'send' ? t('what {name} sends', { name }) : t('what {name} receives', { name });
  return state === 'renewed'
    ? t('The connection for {what} was renewed', { what })
    : t('No connection comes up for {what}', { what });
}

function wordsOfCommand(entry: RoomEntry, by: string): string | undefined {
  const { command = '', name = t('somebody'), source, muted, hard, given } = entry;
  const values = { by, name, source: sourceWords(source) };
  switch (command) {
    case 'admit':
      return t('{by} let {name} in', { by, name });
    case 'deny':
      return t('{by} turned {name} away', { by, name });
    case 'drop':
      return t('{by} sent {name} out', { by, name });
    case 'mute_user':
      if (!muted) return t('{by} unmuted the {source} of {name}', values);
      return hard
        ? t('{by} muted the {source} of {name}, who cannot unmute themselves', values)
        : t('{by} muted the {source} of {name}', values);
    case 'mute_all':
      if (!muted) return t('{by} unmuted the {source} of all', values);
      return hard
        ? t('{by} muted the {source} of all, who cannot unmute themselves', values)
        : t('{by} muted the {source} of all', values);
    case 'floor':
      return given
        ? t('{by} gave the floor to {name}', { by, name })
        : t('{by} took the floor from {name}', { by, name });
    case 'spotlight':
      return entry.on
        ? t('{by} showed {name} large to all', { by, name })
        : t('{by} no longer shows {name} large to all', { by, name });
    case 'end':
      return t('{by} ended the session', { by });
    // The recording has an entry of its own that names the participant.
    case 'record':
      return undefined;
    default:
      return `${by}: ${command.replaceAll('_', ' ')}`;
  }
}
