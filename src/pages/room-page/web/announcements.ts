/**
 * Converts messages of the service into texts for the participant: for screen readers, and on the screen if it concerns
 * this participant. Pure.
 */
import type { Participant, ServerMessage } from '../../../../client/room-client.js';
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
  left: 'left',
  ended: 'left',
  denied: 'left',
  dropped: 'was removed',
  lost: 'lost the connection',
} as const;
const WORKS = {
  send: 'The others can hear and see you again.',
  receive: 'You can hear and see the others again.',
} as const;
const REFUSED: Readonly<Record<string, string>> = {
  not_allowed: 'That is not allowed here.',
  unknown_participant: 'That person is not here any more.',
  bad_message: 'The service did not accept that.',
};

/** `before` is the state before the message. */
export function announcementsOf(before: SessionState, message: ServerMessage): Announcement[] {
  switch (message.type) {
    case 'joined':
      return [spoken(`${message.participant.name} joined`)];
    case 'left': {
      const name = before.people.get(message.id)?.name;
      return name === undefined || message.id === before.selfId ? [] : [spoken(`${name} ${LEFT[message.reason]}`)];
    }
    case 'changed':
      return message.participant.id === before.selfId
        ? ofSelf(before.people.get(before.selfId), message.participant)
        : ofOther(before, before.people.get(message.participant.id), message.participant);
    case 'chat':
      if (message.from === before.selfId) return [];
      return [spoken(`${message.name} wrote${message.private ? ' to you' : ''}: ${message.text.slice(0, 300)}`)];
    case 'knocking': {
      const known = new Set(before.knocking.map(({ id }) => id));
      return message.participants
        .filter(({ id }) => !known.has(id))
        .map(({ name }) => spoken(`${name} asks to come in`));
    }
    case 'reaction': {
      const name = before.people.get(message.participant)?.name;
      return name === undefined || message.participant === before.selfId ? [] : [spoken(`${name}: ${message.emoji}`)];
    }
    case 'spotlight': {
      const name = before.people.get(message.participant ?? '')?.name;
      if (name === undefined) return [];
      if (message.participant === before.selfId) return [shown('A moderator shows you large to all.')];
      return [spoken(`A moderator shows ${name} large to all`)];
    }
    case 'floor':
      return [
        message.given
          ? urgent('You have the floor. Switch on your microphone to speak.')
          : urgent('The floor was taken back: others do not hear you any more.'),
      ];
    case 'recording':
      return [message.on ? urgent('This session is now being recorded.') : shown('The recording has stopped.')];
    case 'media':
      if (!message.works) return [urgent(message.message ?? '')];
      // A single source works again, or was unpublished: no text is needed.
      return message.source === undefined ? [shown(WORKS[message.direction])] : [];
    case 'error': {
      const text = REFUSED[message.code];
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
  for (const source of added) said.push(urgent(`A moderator switched off your ${NAMES[source]}.`));
  for (const source of removed) said.push(shown(`You may switch on your ${NAMES[source]} again.`));
  if (now.poor_link && !before?.poor_link) {
    const text = 'Your connection is poor. Switch off your camera, or move closer to the router.';
    said.push({ ...shown(text), kind: POOR_LINK });
  }
  if (!now.poor_link && before?.poor_link) said.push({ ...spoken(''), kind: POOR_LINK, isOver: true });
  return said;
}

export const NAMES: Readonly<Record<string, string>> = { audio: 'microphone', video: 'camera', screen: 'screen' };

function ofOther(state: SessionState, before: Participant | undefined, now: Participant): Announcement[] {
  const said: Announcement[] = [];
  if (now.hand && !before?.hand) {
    const text = `${now.name} raised a hand`;
    said.push(isModerator(state) ? shown(text) : spoken(text));
  }
  const shares = (one: Participant | undefined): boolean => one?.published.includes('screen') ?? false;
  if (shares(now) && !shares(before)) said.push(spoken(`${now.name} shares a screen`));
  if (now.away && !before?.away) said.push(spoken(`${now.name} lost the connection`));
  return said;
}
