/** Texts that say why the participant cannot join, or has left the session, and what helps. Pure. */

export interface EndWords {
  title: string;
  text: string;
  /** Remedy: another invitation, the same page again, the way back into the session, or none. */
  help: 'invitation' | 'again' | 'return' | 'none';
}

const ASK = 'Ask the person who invited you for a new link.';

const WORDS: Readonly<Record<string, EndWords>> = {
  no_token: {
    title: 'You need an invitation',
    text: 'This room opens with a personal link. Open the link that you received, or paste it here.',
    help: 'invitation',
  },
  token_used: {
    title: 'This invitation was already used',
    text: `Each link lets one person in, once. ${ASK}`,
    help: 'invitation',
  },
  token_expired: {
    title: 'This invitation has expired',
    text: `Links are valid for 15 minutes. ${ASK}`,
    help: 'invitation',
  },
  token_foreign: {
    title: 'This invitation is for another room',
    text: 'Open the whole link that you received, without changing its address, or paste it here.',
    help: 'invitation',
  },
  token_forged: {
    title: 'This invitation is not valid',
    text: 'Maybe the link was cut when it was copied. Paste the whole link here, or ask for a new one.',
    help: 'invitation',
  },
  token_unchecked: {
    title: 'Your invitation cannot be checked at the moment',
    text: 'It is still good. Try again in a few seconds.',
    help: 'again',
  },
  room_unknown: {
    title: 'This room is not there any more',
    text: 'It was closed by the people who run it. Ask the person who invited you where to go.',
    help: 'none',
  },
  room_full: {
    title: 'The room is full',
    text: 'Wait until a participant leaves, then ask for a new link.',
    help: 'invitation',
  },
  room_moderators_full: {
    title: 'There are enough moderators',
    text: 'Ask for a link as a participant.',
    help: 'invitation',
  },
  room_audience_unavailable: {
    title: 'The broadcast is not available',
    text: 'This service cannot show the room to an audience. Ask for a link as a viewer.',
    help: 'invitation',
  },
  not_known: {
    title: 'You were away for too long',
    text: `Your place was kept for ten minutes. ${ASK}`,
    help: 'invitation',
  },
  lost: {
    title: 'The connection was lost',
    text: `The service could not be reached for 30 seconds. Check your network. ${ASK}`,
    help: 'invitation',
  },
  closed: {
    title: 'The service cannot be reached',
    text: 'Check your network, and try again.',
    help: 'again',
  },
  left: {
    title: 'You left the room',
    text: 'To come back, ask for a new link and open it, or paste it here.',
    help: 'invitation',
  },
  dropped: { title: 'You were removed', text: 'A moderator removed you from the room.', help: 'none' },
  denied: { title: 'You were not let in', text: 'A moderator did not let you in.', help: 'none' },
  ended: { title: 'The session has ended', text: 'Thank you for taking part. You can close this page.', help: 'none' },
};

/** If the participant may come back. */
const RETURN: Readonly<Record<string, EndWords>> = {
  left: {
    title: 'You left the room',
    text: 'You can come back within ten minutes, here or with the same link.',
    help: 'return',
  },
  lost: {
    title: 'The connection was lost',
    text: 'The service could not be reached for 30 seconds. Check your network, and come back.',
    help: 'return',
  },
};

const SAME: Readonly<Record<string, string>> = { token_malformed: 'token_forged', room_ended: 'ended' };

export const endWords = (reason: string, { mayReturn = false } = {}): EndWords =>
  (mayReturn ? RETURN[reason] : undefined) ??
  WORDS[SAME[reason] ?? reason] ?? {
    title: 'Something went wrong',
    text: 'The connection ended. Try again.',
    help: 'again',
  };
