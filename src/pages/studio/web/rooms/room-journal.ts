/** Journal of a room as text, newest first. Shown by `room-history.tsx`. */
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
  state?: 'renewed' | 'failed';
  /** Id of the participant that publishes the blocked stream. */
  of?: string;
  codec?: string;
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
    id === 'administrator' ? 'An administrator' : (names.get(id ?? '') ?? 'Somebody');
  return entries.flatMap((entry, index) => {
    const words = wordsOf(entry, nameOf);
    return words === undefined ? [] : [{ key: `${entry.conf_num} ${entries.length - index}`, at: entry.at, words }];
  });
}

const REASONS: Readonly<Record<string, string>> = {
  left: 'left',
  dropped: 'was sent out',
  lost: 'lost the link and did not come back',
  ended: 'left with the end of the session',
};

const BLOCKED: Readonly<Record<string, string>> = {
  no_codec: 'the browser does not have the codec',
  not_allowed: 'the room does not allow it',
  not_offered: 'the client does not send it',
};

function wordsOf(entry: RoomEntry, nameOf: (id?: string) => string): string | undefined {
  const { type, name = 'Somebody', role, sip, reason = '', on, by } = entry;
  switch (type) {
    case 'active':
      return 'The session began';
    case 'joined':
      return `${name} came in (${role}${sip ? ', telephone' : ''})`;
    case 'left':
      return `${name} ${REASONS[reason] ?? 'left'}`;
    case 'recording':
      return `${by === undefined ? '' : `${nameOf(by)}: `}recording ${on ? 'began' : 'ended'}`;
    case 'moderated':
      return wordsOfCommand(entry, nameOf(by));
    case 'connection':
      return wordsOfConnection(entry);
    case 'blocked':
      return wordsOfBlocked(entry, nameOf);
    case 'media_restarted':
      return 'Media restarted';
    case 'over':
      return reason === 'crash' ? 'The session was cut off: the service died' : 'The session ended';
    default:
      return type.replaceAll('_', ' ');
  }
}

function wordsOfBlocked(entry: RoomEntry, nameOf: (id?: string) => string): string {
  const { name = 'Somebody', direction, source, of, reason = '', codec } = entry;
  const why = BLOCKED[reason] ?? reason;
  if (direction === 'send') return `The ${source} of ${name} is not forwarded: ${why}`;
  return `${name} does not receive the ${source} of ${nameOf(of)}: ${why}${codec ? ` (${codec})` : ''}`;
}

function wordsOfConnection({ name = 'Somebody', direction, state }: RoomEntry): string {
  const what = direction === 'send' ? `what ${name} sends` : `what ${name} receives`;
  return state === 'renewed' ? `The connection for ${what} was renewed` : `No connection comes up for ${what}`;
}

function wordsOfCommand(entry: RoomEntry, by: string): string | undefined {
  const { command = '', name = 'somebody', source, muted, hard, given } = entry;
  const mute = muted ? `muted the ${source} of` : `unmuted the ${source} of`;
  const isHard = muted && hard ? ', who cannot unmute themselves' : '';
  switch (command) {
    case 'admit':
      return `${by} let ${name} in`;
    case 'deny':
      return `${by} turned ${name} away`;
    case 'drop':
      return `${by} sent ${name} out`;
    case 'mute_user':
      return `${by} ${mute} ${name}${isHard}`;
    case 'mute_all':
      return `${by} ${mute} all${isHard}`;
    case 'floor':
      return given ? `${by} gave the floor to ${name}` : `${by} took the floor from ${name}`;
    case 'spotlight':
      return entry.on ? `${by} showed ${name} large to all` : `${by} no longer shows ${name} large to all`;
    case 'end':
      return `${by} ended the session`;
    // The recording has an entry of its own that names the participant.
    case 'record':
      return undefined;
    default:
      return `${by}: ${command.replaceAll('_', ' ')}`;
  }
}
