/** Texts of the page of administrators: roles, access and times. Pure; used by `administrators.tsx`. */
import { agoText, t } from '../../../shared/web/words/translate.ts';

/** An administrator, as the API lists it. */
export interface AdministratorData {
  name: string;
  role: string;
  configured: boolean;
  has_token: boolean;
  you: boolean;
  invited_until?: string;
  last_seen?: string;
  created?: string;
  created_by?: string;
}

/** Roles with their titles and permissions. A role without a row is shown by its name. */
export const ROLES: readonly { value: string; title: string; may: string }[] = [
  { value: 'full', title: t('Full access'), may: t('May change everything.') },
  { value: 'read', title: t('Read only'), may: t('Sees everything, and changes nothing.') },
];

export const roleTitle = (role: string): string => ROLES.find(({ value }) => value === role)?.title ?? role;

/** Credential of an administrator: `Token`, `Invited until 2 Mar, 14:10`. */
export function accessOf(
  { has_token: hasToken, invited_until: until }: AdministratorData,
  timeOf: (at: string) => string,
): string {
  if (until === undefined) return hasToken ? t('Token') : t('No access yet');
  const time = timeOf(until);
  return hasToken ? t('Token, invited until {time}', { time }) : t('Invited until {time}', { time });
}

const MINUTE_MS = 60_000;
/** Precision of the service for the last request. */
const NOW_MS = 10 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time since the last request in words: `now`, `25 minutes ago`, `3 days ago`, `never`. */
export function lastSeenWords(at: string | undefined, nowMs: number): string {
  if (at === undefined) return t('never');
  const ms = nowMs - Date.parse(at);
  if (ms < NOW_MS) return t('now');
  if (ms < HOUR_MS) return agoText(Math.floor(ms / MINUTE_MS), 'minute');
  return ms < DAY_MS ? agoText(Math.floor(ms / HOUR_MS), 'hour') : agoText(Math.floor(ms / DAY_MS), 'day');
}

/** True if a link with this host name can be opened on this machine only. */
export const isLocalHost = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host);
