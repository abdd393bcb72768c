/** Links into video rooms by role, and their dial-in by phone. Used by `room-link.tsx`. */
import { addressAtService } from '../../../shared/web/service-root.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { pathOf } from './video-rooms.ts';

export const ROOMS = '/video/v2/rooms';
/** Owner of rooms and identity of participants that the studio makes. */
export const STUDIO = 'studio';

/** A room of a project. */
export interface RoomName {
  app_id: string;
  room_id: string;
  name: string;
}

export const LINK_ROLES = [
  { role: 'moderator', title: t('Moderator'), name: t('Host'), may: t('leads the session: admits, mutes and ends') },
  { role: 'participant', title: t('Participant'), name: t('Guest'), may: t('takes part') },
  { role: 'audience', title: t('Audience'), name: t('Viewer'), may: t('watches, unseen and unheard') },
] as const;
export type LinkRole = (typeof LINK_ROLES)[number];

/** Link for one participant. */
export async function linkInto(
  { app_id: app, room_id: room }: RoomName,
  { role }: LinkRole,
  name: string,
): Promise<string> {
  const { token } = await request<{ token: string }>(`${ROOMS}/${encodeURIComponent(room)}/tokens`, {
    method: 'POST',
    json: { name, role, user_ref: STUDIO },
    headers: { 'x-callweave-project': app },
  });
  return `${new URL(addressAtService(`/room/${encodeURIComponent(room)}`), location.href).href}#${token}`;
}

export interface Access {
  hasAudience: boolean;
  /** Absent if phones cannot dial in. */
  phone?: { pin: string; numbers: readonly string[] };
}

/** Roles and dial-in of a room. */
export async function accessOf(room: RoomName): Promise<Access> {
  const shown = await request<{ settings: { audiences: number }; sip: { enabled: boolean; pin?: number } }>(
    pathOf(room),
  );
  const hasAudience = shown.settings.audiences > 0;
  if (!shown.sip.enabled || shown.sip.pin === undefined) return { hasAudience };
  const { dialin } = await request<{ dialin: { phone: string }[] }>('/video/v2/dialin', {
    headers: { 'x-callweave-project': room.app_id },
  });
  return { hasAudience, phone: { pin: pinWords(shown.sip.pin), numbers: dialin.map(({ phone }) => phone) } };
}

/** Digits in groups of three, as people read them aloud: `123 456`. */
export const pinWords = (pin: number): string => String(pin).replace(/\B(?=(\d{3})+$)/g, ' ');
