/** Texts that say why the participant cannot join, or has left the session, and what helps. Pure. */
import { t } from '../../shared/web/words/translate.ts';

export interface EndWords {
  title: string;
  text: string;
  /** Remedy: another invitation, the same page again, the way back into the session, or none. */
  help: 'invitation' | 'again' | 'return' | 'none';
}

const ASK = t('Ask the person who invited you for a new link.');

const WORDS: Readonly<Record<string, EndWords>> = {
  no_token: {
    title: t('You need an invitation'),
    text: t('This room opens with a personal link. Open the link that you received, or paste it here.'),
    help: 'invitation',
  },
  token_used: {
    title: t('This invitation was used or withdrawn'),
    text: `${t('Each link lets one person in, once.')} ${ASK}`,
    help: 'invitation',
  },
  token_expired: {
    title: t('This invitation has expired'),
    text: `${t('Links are valid for 15 minutes.')} ${ASK}`,
    help: 'invitation',
  },
  token_foreign: {
    title: t('This invitation is for another room'),
    text: t('Open the whole link that you received, without changing its address, or paste it here.'),
    help: 'invitation',
  },
  token_forged: {
    title: t('This invitation is not valid'),
    text: t('Maybe the link was cut when it was copied. Paste the whole link here, or ask for a new one.'),
    help: 'invitation',
  },
  token_unchecked: {
    title: t('Your invitation cannot be checked at the moment'),
    text: t('It is still good. Try again in a few seconds.'),
    help: 'again',
  },
  room_unknown: {
    title: t('This room is not there any more'),
    text: t('It was closed by the people who run it. Ask the person who invited you where to go.'),
    help: 'none',
  },
  room_full: {
    title: t('The room is full'),
    text: t('Wait until a participant leaves, then ask for a new link.'),
    help: 'invitation',
  },
  room_moderators_full: {
    title: t('There are enough moderators'),
    text: t('Ask for a link as a participant.'),
    help: 'invitation',
  },
  room_audience_unavailable: {
    title: t('The broadcast is not available'),
    text: t('This service cannot show the room to an audience. Ask for a link as a viewer.'),
    help: 'invitation',
  },
  not_known: {
    title: t('You were away for too long'),
    text: `${t('Your place was kept for ten minutes.')} ${ASK}`,
    help: 'invitation',
  },
  lost: {
    title: t('The connection was lost'),
    text: `${t('The service could not be reached for 30 seconds. Check your network.')} ${ASK}`,
    help: 'invitation',
  },
  closed: {
    title: t('The service cannot be reached'),
    text: t('Check your network, and try again.'),
    help: 'again',
  },
  left: {
    title: t('You left the room'),
    text: t('To come back, ask for a new link and open it, or paste it here.'),
    help: 'invitation',
  },
  dropped: { title: t('You were removed'), text: t('A moderator removed you from the room.'), help: 'none' },
  denied: { title: t('You were not let in'), text: t('A moderator did not let you in.'), help: 'none' },
  ended: {
    title: t('The session has ended'),
    text: t('Thank you for taking part. You can close this page.'),
    help: 'none',
  },
};

/** If the participant may come back. */
const RETURN: Readonly<Record<string, EndWords>> = {
  left: {
    title: t('You left the room'),
    text: t('You can come back within ten minutes, here or with the same link.'),
    help: 'return',
  },
  lost: {
    title: t('The connection was lost'),
    text: t('The service could not be reached for 30 seconds. Check your network, and come back.'),
    help: 'return',
  },
};

const SAME: Readonly<Record<string, string>> = { token_malformed: 'token_forged', room_ended: 'ended' };

export const endWords = (reason: string, { mayReturn = false } = {}): EndWords =>
  (mayReturn ? RETURN[reason] : undefined) ??
  WORDS[SAME[reason] ?? reason] ?? {
    title: t('Something went wrong'),
    text: t('The connection ended. Try again.'),
    help: 'again',
  };
