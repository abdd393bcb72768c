/**
 * Converts messages of the service into texts for the participant: for screen readers, and on the screen if it concerns
 * this participant. Pure.
 */
import type { Participant, ServerMessage } from '../../../../client/room-client.js';
import { t } from '../../shared/web/words/translate.ts';
import { isModerator, type SessionState } from './room-state.ts';

export interface Announcement {
  text: string;
  /** `spoken`: only for screen readers; `shown`: also on the screen; `urgent`: at once. */
  how: 'spoken' | 'shown' | 'urgent';
  /** The next announcement of the same kind replaces this one; default: its text. */
  kind?: string;
  /** True if announcements of the kind are removed. */
  isOver?: boolean;
}

const POOR_LINK = 'poor link';

const spoken = (text: string): Announcement => ({ text, how: 'spoken' });
const shown = (text: string): Announcement => ({ text, how: 'shown' });
const urgent = (text: string): Announcement => ({ text, how: 'urgent' });

const LEFT = {
  left: (name: string) => t('{name} left', { name }),
  ended: (name: string) => t('{name} left', { name }),
  denied: (name: string) => t('{name} left', { name }),
  dropped: (name: string) => t('{name} was removed', { name }),
  lost: (name: string) => t('{name} lost the connection', { name }),
} as const;
const WORKS = {
  send: t('The others can hear and see you again.'),
  receive: t('You can hear and see the others again.'),
} as const;
const REFUSED: Readonly<Record<string, string>> = {
  not_allowed: t('That is not allowed here.'),
  unknown_participant: t('That person is not here any more.'),
  bad_message: t('The service did not accept that.'),
  too_many_invitations: t('You created many links in a short time. Try again in ten seconds.'),
};

const NOT_AVAILABLE: Readonly<Record<string, string>> = {
  invite: t('No link can be created now: the room is full, or its time is over.'),
  poll_start: t('Close the open poll before you ask another question.'),
  vote: t('The poll is closed.'),
  captions: t('There are no captions: the service cannot recognise this language at the moment.'),
};

/** `before` is the state before the message. */
export function announcementsOf(before: SessionState, message: ServerMessage): Announcement[] {
  switch (message.type) {
    case 'joined':
      return [spoken(t('{name} joined', { name: message.participant.name }))];
    case 'left': {
      const name = before.people.get(message.id)?.name;
      return name === undefined || message.id === before.selfId ? [] : [spoken(LEFT[message.reason](name))];
    }
    case 'changed':
      return message.participant.id === before.selfId
        ? ofSelf(before.people.get(before.selfId), message.participant)
        : ofOther(before, before.people.get(message.participant.id), message.participant);
    case 'chat':
      if (message.from === before.selfId) return [];
      return [
        spoken(
          message.private
            ? t('{name} wrote to you: {text}', { name: message.name, text: message.text.slice(0, 300) })
            : t('{name} wrote: {text}', { name: message.name, text: message.text.slice(0, 300) }),
        ),
      ];
    case 'knocking': {
      const known = new Set(before.knocking.map(({ id }) => id));
      return message.participants
        .filter(({ id }) => !known.has(id))
        .map(({ name }) => spoken(t('{name} asks to come in', { name })));
    }
    case 'reaction': {
      const name = before.people.get(message.participant)?.name;
      return name === undefined || message.participant === before.selfId ? [] : [spoken(`${name}: ${message.emoji}`)];
    }
    case 'spotlight': {
      const name = before.people.get(message.participant ?? '')?.name;
      if (name === undefined) return [];
      if (message.participant === before.selfId) return [shown(t('A moderator shows you large to all.'))];
      return [spoken(t('A moderator shows {name} large to all', { name }))];
    }
    case 'floor':
      return [
        message.given
          ? urgent(t('You have the floor. Switch on your microphone to speak.'))
          : urgent(t('The floor was taken back: others do not hear you any more.')),
      ];
    case 'recording':
      return [message.on ? urgent(t('This session is now being recorded.')) : shown(t('The recording has stopped.'))];
    case 'poll': {
      const { id, by, question, open } = message;
      const known = before.polls.find((poll) => poll.id === id);
      if (!known && open) return [spoken(t('{name} asks: {question}', { name: by, question }))];
      return known?.open && !open ? [shown(t('The poll is closed: {question}', { question }))] : [];
    }
    case 'captions':
      return [
        message.on ? shown(t('Captions are on: the service turns speech into text.')) : spoken(t('Captions are off')),
      ];
    case 'media':
      if (!message.works) return [urgent(message.message ?? '')];
      // A single source works again, or was unpublished: no text is needed.
      return message.source === undefined ? [shown(WORKS[message.direction])] : [];
    case 'invitation':
      return [spoken(t('The link for {name} is ready', { name: message.name }))];
    case 'invitation_over':
      return [
        message.state === 'revoked' ? shown(t('The link was withdrawn.')) : shown(t('The link had already been used.')),
      ];
    case 'error': {
      const text = (message.code === 'not_available' && NOT_AVAILABLE[message.about ?? '']) || REFUSED[message.code];
      return text === undefined ? [] : [shown(text)];
    }
    default:
      return [];
  }
}

/** Soft mutes may be the participant's own, which `own-mutes.ts` distinguishes. */
function ofSelf(before: Participant | undefined, now: Participant): Announcement[] {
  const said: Announcement[] = [];
  const added = now.hard_muted.filter((source) => !before?.hard_muted.includes(source));
  const removed = before?.hard_muted.filter((source) => !now.hard_muted.includes(source)) ?? [];
  for (const source of added) said.push(urgent(SWITCHED_OFF[source]));
  for (const source of removed) said.push(shown(MAY_SWITCH_ON[source]));
  if (now.poor_link && !before?.poor_link) {
    const text = t('Your connection is poor. Switch off your camera, or move closer to the router.');
    said.push({ ...shown(text), kind: POOR_LINK });
  }
  if (!now.poor_link && before?.poor_link) said.push({ ...spoken(''), kind: POOR_LINK, isOver: true });
  return said;
}

export const SWITCHED_OFF = {
  audio: t('A moderator switched off your microphone.'),
  video: t('A moderator switched off your camera.'),
  screen: t('A moderator stopped your screen.'),
} as const;
const MAY_SWITCH_ON = {
  audio: t('You may switch on your microphone again.'),
  video: t('You may switch on your camera again.'),
  screen: t('You may share your screen again.'),
} as const;

function ofOther(state: SessionState, before: Participant | undefined, now: Participant): Announcement[] {
  const said: Announcement[] = [];
  if (now.hand && !before?.hand) {
    const text = t('{name} raised a hand', { name: now.name });
    said.push(isModerator(state) ? shown(text) : spoken(text));
  }
  const shares = (one: Participant | undefined): boolean => one?.published.includes('screen') ?? false;
  if (shares(now) && !shares(before)) said.push(spoken(t('{name} shares a screen', { name: now.name })));
  if (now.away && !before?.away) said.push(spoken(t('{name} lost the connection', { name: now.name })));
  return said;
}
