/**
 * State of a session in the page, derived only from messages of the service: participants, active speakers, lobby,
 * chat. Pure; `announcements.ts` describes changes in words, `meeting.ts` has the devices and the connection.
 */
import type {
  Broadcast,
  Caption,
  Invitation,
  Knocking,
  Participant,
  Permissions,
  Poll,
  Role,
  ServerMessage,
  Welcome,
} from '../../../../client/room-client.js';

export interface ChatLine {
  key: number;
  from: string;
  name: string;
  text: string;
  atMs: number;
  isPrivate: boolean;
}

export interface SessionState {
  selfId: string;
  role: Role;
  permissions: Permissions;
  room: {
    id: string;
    name: string;
    description?: string;
    isLecture: boolean;
    mayShare: boolean;
    asksFeedback: boolean;
    /** Roles for which moderators may create links. */
    invites: readonly Role[];
    hasCaptions: boolean;
  };
  /** By id: oneself, then the others in the order in which they joined. */
  people: ReadonlyMap<string, Participant>;
  talking: readonly string[];
  /** Other participants, the latest speaker first. */
  talkedLast: readonly string[];
  knocking: readonly Knocking[];
  isRecording: boolean;
  /** True while speech is recognised, for any participant. */
  isCaptioned: boolean;
  /** Latest captions, the newest last. */
  captions: readonly Caption[];
  /** The latest first. */
  polls: readonly Poll[];
  /** Links that this moderator created and did not withdraw, the latest first. */
  invitations: readonly Invitation[];
  chat: readonly ChatLine[];
  /** Reasons why own media do not get out, or those of the others do not arrive. */
  cutOff: Readonly<Record<string, string>>;
  /** Participant whom a moderator shows large to all. */
  spotlight: string | undefined;
  /** Live stream for the audience. */
  stream?: Broadcast;
  /** Page of the room's owner on which the audience watches instead. */
  viewPage?: string;
}

/** Older lines are dropped. */
const MAX_LINES = 500;
const MAX_TALKED = 20;
const MAX_INVITATIONS = 50;
/** Several participants may speak at once; the page shows the last lines only. */
const MAX_CAPTIONS = 6;

/** State of a new session, or of the same one after a resume, which keeps the chat. */
export function begin(welcome: Welcome, ownName: string, before?: SessionState): SessionState {
  const { settings, room_id: id, name } = welcome.room;
  const self = before?.people.get(welcome.id) ?? newcomer(welcome, ownName);
  return {
    selfId: welcome.id,
    role: welcome.role,
    permissions: welcome.permissions,
    room: {
      ...{ id, name, isLecture: settings['mode'] === 'lecture', mayShare: settings['screen_share'] !== false },
      asksFeedback: settings['feedback'] === true,
      hasCaptions: typeof settings['captions'] === 'string',
      invites: Array.isArray(settings['invitations']) ? (settings['invitations'] as Role[]) : [],
      ...(typeof settings['description'] === 'string' ? { description: settings['description'] } : {}),
    },
    people: new Map([self, ...welcome.participants].map((one) => [one.id, one])),
    talking: welcome.talking,
    talkedLast: withTalkers(before?.talkedLast ?? [], welcome.talking, welcome.id),
    knocking: [],
    isRecording: welcome.recording,
    isCaptioned: welcome.captions,
    captions: [],
    polls: [],
    spotlight: welcome.spotlight,
    chat: before?.chat ?? [],
    cutOff: {},
    invitations: before?.invitations ?? [],
    ...(before?.stream ? { stream: before.stream } : {}),
    ...viewPageOf(settings['hls_view_url']),
  };
}

/** Any other value than the URL of a page means this page. */
const viewPageOf = (url: unknown): { viewPage?: string } =>
  typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? { viewPage: url } : {};

/** Oneself, until the service reports the details. */
const newcomer = ({ id, role }: Welcome, name: string): Participant => ({
  ...{ id, name, role, phone: false, away: false, hand: false, floor: false },
  ...{ muted: [], hard_muted: [], published: [], poor_link: false },
});

export function reduce(state: SessionState, message: ServerMessage): SessionState {
  switch (message.type) {
    case 'joined':
    case 'changed':
      return { ...state, people: new Map(state.people).set(message.participant.id, message.participant) };
    case 'left': {
      const people = new Map(state.people);
      people.delete(message.id);
      const without = (ids: readonly string[]): string[] => ids.filter((id) => id !== message.id);
      return { ...state, people, talking: without(state.talking), talkedLast: without(state.talkedLast) };
    }
    case 'talking': {
      const { participants: talking } = message;
      return { ...state, talking, talkedLast: withTalkers(state.talkedLast, talking, state.selfId) };
    }
    case 'knocking':
      return { ...state, knocking: message.participants };
    case 'floor':
      return { ...state, permissions: message.permissions };
    case 'broadcast':
      return { ...state, stream: message };
    case 'spotlight':
      return { ...state, spotlight: message.participant };
    case 'recording':
      return { ...state, isRecording: message.on };
    case 'captions':
      return { ...state, isCaptioned: message.on, captions: message.on ? state.captions : [] };
    case 'caption':
      return { ...state, captions: withCaption(state.captions, message) };
    case 'poll': {
      const isKnown = state.polls.some(({ id }) => id === message.id);
      const polls = isKnown
        ? state.polls.map((one) => (one.id === message.id ? message : one))
        : [message, ...state.polls];
      return { ...state, polls };
    }
    case 'invitation':
      return { ...state, invitations: [message, ...state.invitations].slice(0, MAX_INVITATIONS) };
    case 'invitation_over':
      return { ...state, invitations: state.invitations.filter(({ id }) => id !== message.id) };
    case 'media': {
      const { direction, source = '', participant = '' } = message;
      const key = [direction, source, participant].join(' ').trim();
      const { [key]: _, ...others } = state.cutOff;
      return { ...state, cutOff: message.works ? others : { ...others, [key]: message.message ?? '' } };
    }
    case 'chat': {
      const { from, name, text, at: atMs, private: isPrivate } = message;
      const key = (state.chat.at(-1)?.key ?? 0) + 1;
      return { ...state, chat: [...state.chat, { key, from, name, text, atMs, isPrivate }].slice(-MAX_LINES) };
    }
    default:
      return state;
  }
}

function withCaption(before: readonly Caption[], caption: Caption): Caption[] {
  const isKnown = before.some(({ line }) => line === caption.line);
  const captions = isKnown ? before.map((one) => (one.line === caption.line ? caption : one)) : [...before, caption];
  return captions.filter(({ text }) => text !== '').slice(-MAX_CAPTIONS);
}

function withTalkers(before: readonly string[], talking: readonly string[], selfId: string): string[] {
  const others = talking.filter((id) => id !== selfId);
  return [...others, ...before.filter((id) => !others.includes(id))].slice(0, MAX_TALKED);
}

/** Open poll in which this participant may vote, and has not yet. */
export const unansweredPoll = (state: SessionState): Poll | undefined =>
  mayWrite(state) ? state.polls.find(({ open, own }) => open && own === undefined) : undefined;

export const selfOf = ({ people, selfId }: SessionState): Participant | undefined => people.get(selfId);

export const isModerator = ({ role }: SessionState): boolean => role === 'moderator';

/** Viewers and the audience only watch. */
export const mayWrite = ({ role }: SessionState): boolean => role === 'moderator' || role === 'participant';
