/** Journal of a room and its sessions of the last week. `room-journal.ts` has the texts of the entries. */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { roleWords } from '../../../shared/web/role-words.ts';
import { pageLocale, t } from '../../../shared/web/words/translate.ts';
import { durationOf } from '../call-rows/call-times.ts';
import { useEvery, useLoaded } from '../shell/load.ts';
import { readJournal } from './room-journal.ts';
import { type ListedRoom, readReports } from './video-rooms.ts';

const REFRESH_MS = 5000;

export const RoomHistory = ({ room, atMs }: { room: ListedRoom; atMs: number }) => (
  <>
    <OnDemand title={t('What happened')}>{() => <Journal room={room} />}</OnDemand>
    <OnDemand title={t('Recent participants')}>{() => <Reports room={room} atMs={atMs} />}</OnDemand>
  </>
);

/** CSS classes of quality verdicts. A verdict that was not measured has none. */
const PILLS: Readonly<Record<string, string>> = { Good: 'good', Bad: 'bad' };
const QUALITIES: Readonly<Record<string, string>> = { Good: t('good'), Moderate: t('moderate'), Bad: t('bad') };

/** Section whose content is loaded when it is opened. */
function OnDemand({ title, children }: { title: string; children: () => ComponentChildren }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen.value && children()}
    </details>
  );
}

function Journal({ room }: { room: ListedRoom }) {
  const { loaded, reload } = useLoaded((signal) => readJournal(room, signal), [room.app_id, room.room_id]);
  useEvery(REFRESH_MS, reload);
  if (loaded.value.state === 'failed') return <p role="alert">{loaded.value.error.message}</p>;
  if (loaded.value.state === 'waiting') return null;
  const { entries, isWhole } = loaded.value.value;
  if (entries.length === 0) return <p class="empty">{t('Nothing is known of this room.')}</p>;
  return (
    <div class="wide">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t('when')}</th>
            <th scope="col">{t('what')}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ key, at, words }) => (
            <tr key={key}>
              <td>{new Date(at).toLocaleString(pageLocale())}</td>
              <td>{words}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!isWhole && <p>{t('Earlier entries are in the API.')}</p>}
    </div>
  );
}

function Reports({ room, atMs }: { room: ListedRoom; atMs: number }) {
  const { loaded } = useLoaded((signal) => readReports(room, atMs, signal), [room.room_id]);
  if (loaded.value.state === 'failed') return <p role="alert">{loaded.value.error.message}</p>;
  if (loaded.value.state === 'waiting') return null;
  const reports = loaded.value.value;
  if (reports.length === 0) return <p class="empty">{t('No participants during the last week.')}</p>;
  return (
    <div class="wide">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t('person')}</th>
            <th scope="col">{t('came')}</th>
            <th scope="col" class="number">
              {t('for')}
            </th>
            <th scope="col">{t('link')}</th>
          </tr>
        </thead>
        <tbody>
          {reports.map(({ cdr_id: id, user, room: stay, sip, stats_quality: { call_quality: quality } }) => (
            <tr key={id}>
              <td>
                {user.name}{' '}
                <small>{sip ? t('{role}, telephone', { role: roleWords(user.role) }) : roleWords(user.role)}</small>
              </td>
              <td>{new Date(stay.connect_dt).toLocaleString(pageLocale())}</td>
              <td class="number">{durationOf(stay.duration * 1000)}</td>
              <td>
                <span class={`pill ${PILLS[quality] ?? ''}`}>{QUALITIES[quality] ?? quality.toLowerCase()}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
