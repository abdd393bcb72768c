/** Roles and sources of participants in words. Pure. */
import { t } from './words/translate.ts';

const ROLES: Readonly<Record<string, string>> = {
  moderator: t('moderator'),
  participant: t('participant'),
  viewer: t('viewer'),
  audience: t('audience'),
};

/** An unknown role of a later version is shown by its name. */
export const roleWords = (role = ''): string => ROLES[role] ?? role;

const SOURCES: Readonly<Record<string, string>> = {
  audio: t('audio'),
  video: t('video'),
  screen: t('screen'),
  mic: t('mic'),
  cam: t('cam'),
};

export const sourceWords = (source = ''): string => SOURCES[source] ?? source;
