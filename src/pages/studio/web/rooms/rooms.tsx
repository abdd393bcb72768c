/** Screen for video rooms: active sessions with their participants, the other rooms, and recent participants. */
import { roleWords, sourceWords } from '../../../shared/web/role-words.ts';
import '../conferences/conferences.css';
import { useSignal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { project } from '../api.ts';
import { durationOf } from '../call-rows/call-times.ts';
import { PresenceTable, RowActs } from '../conferences/presence-table.tsx';
import { Empty } from '../empty-screen/empty.tsx';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useEvery, useLoaded } from '../shell/load.ts';
import { announce, tellError } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { rowAtFocus, rowCommands } from '../shell/rows.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { NewRoom } from './new-room.tsx';
import { RoomHistory } from './room-history.tsx';
import { RoomLink } from './room-link.tsx';
import type { RoomName } from './room-links.ts';
import {
  admitUser,
  denyUser,
  dropUser,
  endSession,
  isInside,
  isMuted,
  type ListedRoom,
  type LiveRoom,
  muteUser,
  type RoomUser,
  readRooms,
  type VideoRooms,
  wordsOfUser,
} from './video-rooms.ts';

const REFRESH_MS = 2000;
const GROUP = t('Rooms');

interface Acts {
  /** Shows links into the room. */
  join(room: RoomName): void;
  /** Admits a participant from the lobby. */
  admit(room: ListedRoom, user: RoomUser): void;
  mute(room: ListedRoom, user: RoomUser): void;
  /** Removes a participant, or denies one who waits in the lobby. */
  drop(room: ListedRoom, user: RoomUser): void;
  end(room: ListedRoom): void;
}

export function Rooms() {
  const { loaded, reload } = useLoaded(readRooms, [project.value]);
  useEvery(REFRESH_MS, reload);
  const there = loaded.value.state === 'there' ? loaded.value.value : undefined;
  const isMaking = useSignal(false);
  /** Room whose links are shown. */
  const joined = useSignal<RoomName | undefined>(undefined);
  const join = (room: RoomName): void => {
    joined.value = room;
  };
  const acts: Acts = { ...actsOf(reload), join };
  const make = (): void => {
    isMaking.value = true;
  };
  useCommands(() => {
    const withUser = (act: (room: ListedRoom, user: RoomUser) => void) => () => {
      const found = findUser(there, rowAtFocus());
      if (found) act(found.room, found.user);
    };
    return [
      ...rowCommands(t('person'), GROUP),
      { title: t('New room'), keys: 'n', group: GROUP, changes: true, run: make },
      { title: t('Admit participant'), keys: 'a', group: GROUP, changes: true, run: withUser(acts.admit) },
      {
        title: t('Mute this person, or let them speak'),
        ...{ keys: 'm', group: GROUP, changes: true, run: withUser(acts.mute) },
      },
      {
        title: t('Remove participant, or deny entry'),
        ...{ keys: 'x', group: GROUP, changes: true, run: withUser(acts.drop) },
      },
      { title: t('End the session of this person'), keys: 'e', group: GROUP, changes: true, run: withUser(acts.end) },
    ];
  }, [there]);
  return (
    <Page
      title={t('Rooms')}
      actions={
        <WriteAccessOnly>
          <button type="button" class="button primary" onClick={make}>
            {t('New room')} <Keys of="n" />
          </button>
        </WriteAccessOnly>
      }
      status={there && <Totals rooms={there} />}
    >
      <Pane label={t('Video rooms')} class="sheet">
        {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
        {there && there.live.length + there.quiet.length === 0 && (
          <Empty icon="rooms" text={t('No video rooms yet. People meet in one by a link, in the browser or by phone.')}>
            <WriteAccessOnly>
              <button type="button" class="button primary" onClick={make}>
                {t('New room')}
              </button>
            </WriteAccessOnly>
          </Empty>
        )}
        {there?.live.map((live) => (
          <LiveSection key={live.room.room_id} live={live} atMs={there.atMs} acts={acts} />
        ))}
        {there?.quiet.map((room) => (
          <QuietSection key={`${room.app_id} ${room.room_id}`} room={room} atMs={there.atMs} acts={acts} />
        ))}
      </Pane>
      {isMaking.value && (
        <NewRoom
          close={() => {
            isMaking.value = false;
          }}
          made={(room) => {
            reload();
            join({ ...room, app_id: project.value ?? '' });
          }}
        />
      )}
      {joined.value !== undefined && (
        <RoomLink
          room={joined.value}
          close={() => {
            joined.value = undefined;
          }}
        />
      )}
    </Page>
  );
}

function actsOf(reload: () => void): Omit<Acts, 'join'> {
  const attempt = (act: Promise<unknown>, done: string): void => {
    act.then(() => announce(done), tellError).finally(reload);
  };
  return {
    admit(room, user) {
      if (!isInside(user)) attempt(admitUser(room, user), t('{name} was let in', { name: user.name }));
    },
    mute(room, user) {
      if (!isInside(user)) return;
      const muted = !isMuted(user);
      attempt(
        muteUser(room, user, muted),
        muted ? t('{name} is muted', { name: user.name }) : t('{name} may speak again', { name: user.name }),
      );
    },
    drop(room, user) {
      if (!isInside(user)) {
        attempt(denyUser(room, user), t('{name} was turned away', { name: user.name }));
        return;
      }
      if (!confirm(t('Send {name} out of {room}?', { name: user.name, room: room.name }))) return;
      attempt(dropUser(room, user), t('{name} was sent out', { name: user.name }));
    },
    end(room) {
      if (!confirm(t('End the session in {name}? All participants are removed.', { name: room.name }))) return;
      attempt(endSession(room), t('The session in {name} has ended', { name: room.name }));
    },
  };
}

function findUser(rooms: VideoRooms | undefined, id: string | undefined) {
  for (const { room, users } of rooms?.live ?? []) {
    const user = users.find(({ call_num }) => call_num === id);
    if (user) return { room, user };
  }
  return undefined;
}

function LiveSection({ live: { room, users }, atMs, acts }: { live: LiveRoom; atMs: number; acts: Acts }) {
  const { session, name } = room;
  return (
    <section class="meeting" aria-label={t('Room {name}', { name })}>
      <header>
        <h2>{name}</h2>
        {session?.recording && <span class="pill bad">{t('● recorded')}</span>}
        <small>
          {session?.since
            ? t('{type}, for {duration}', {
                type: wordsOfType(room),
                duration: durationOf(atMs - Date.parse(session.since)),
              })
            : wordsOfType(room)}
        </small>
        <WriteAccessOnly>
          <JoinButton room={room} acts={acts} />
          <button
            type="button"
            class="button danger"
            aria-label={t('End the session in {name}', { name })}
            onClick={() => acts.end(room)}
          >
            {t('End')}
          </button>
        </WriteAccessOnly>
      </header>
      <PresenceTable who={t('person')} how={t('how they are')}>
        {users.map((user) => (
          <UserRow key={user.call_num} room={room} user={user} atMs={atMs} acts={acts} />
        ))}
      </PresenceTable>
      <RoomHistory room={room} atMs={atMs} />
    </section>
  );
}

function UserRow({ room, user, atMs, acts }: { room: ListedRoom; user: RoomUser; atMs: number; acts: Acts }) {
  const { name, role, sip, state, published, poor_link: isPoor, call_quality: quality } = user;
  return (
    <tr>
      <td>
        {name} <small>{sip ? t('{role}, telephone', { role: roleWords(role) }) : roleWords(role)}</small>
      </td>
      <td>
        <span class={`pill ${state === 'in' ? 'good' : 'warn'}`}>{wordsOfUser(user)}</span>{' '}
        {isMuted(user) && <span class="pill warn">{t('muted')}</span>}{' '}
        {(isPoor || quality === 'Bad') && <span class="pill bad">{isPoor ? t('poor link now') : t('poor link')}</span>}{' '}
        <small>{published.map(sourceWords).join(', ')}</small>
      </td>
      <td class="number">{durationOf(atMs - Date.parse(user.since))}</td>
      <RowActs>
        {isInside(user) ? (
          <>
            <button
              type="button"
              class={`button ${isMuted(user) ? 'on' : ''}`}
              data-row={user.call_num}
              aria-pressed={isMuted(user)}
              aria-label={t('Mute {name}', { name })}
              onClick={() => acts.mute(room, user)}
            >
              {t('Mute')}
            </button>
            <button
              type="button"
              class="button danger"
              aria-label={t('Send out {name}', { name })}
              onClick={() => acts.drop(room, user)}
            >
              {t('Send out')}
            </button>
          </>
        ) : (
          <>
            <button
              type="button"
              class="button"
              data-row={user.call_num}
              aria-label={t('Admit {name}', { name })}
              onClick={() => acts.admit(room, user)}
            >
              {t('Admit')}
            </button>
            <button
              type="button"
              class="button danger"
              aria-label={t('Deny entry to {name}', { name })}
              onClick={() => acts.drop(room, user)}
            >
              {t('Deny')}
            </button>
          </>
        )}
      </RowActs>
    </tr>
  );
}

const JoinButton = ({ room, acts }: { room: ListedRoom; acts: Acts }) => (
  <button
    type="button"
    class="button"
    aria-label={t('Join {name}', { name: room.name })}
    onClick={() => acts.join(room)}
  >
    {t('Join')}
  </button>
);

const QuietSection = ({ room, atMs, acts }: { room: ListedRoom; atMs: number; acts: Acts }) => (
  <section class="meeting" aria-label={t('Room {name}', { name: room.name })}>
    <header>
      <h2>{room.name}</h2>
      <small>{t('{type}, empty', { type: wordsOfType(room) })}</small>
      <WriteAccessOnly>
        <JoinButton room={room} acts={acts} />
      </WriteAccessOnly>
    </header>
    <RoomHistory room={room} atMs={atMs} />
  </section>
);

function wordsOfType({ type, mode, sip: hasPhones }: ListedRoom): string {
  const words = mode === 'lecture' ? t('{type} lecture', { type: typeWords(type) }) : typeWords(type);
  return hasPhones ? t('{type}, by phone too', { type: words }) : words;
}

const typeWords = (type: string): string =>
  ({ adhoc: t('ad hoc'), permanent: t('permanent'), scheduled: t('scheduled') })[type] ?? type;

function Totals({ rooms: { live, quiet } }: { rooms: VideoRooms }) {
  const people = live.reduce((sum, { users }) => sum + users.length, 0);
  return (
    <>
      <span>
        {t('{live} of {count, plural, one {# room} other {# rooms}} in use', {
          live: live.length,
          count: live.length + quiet.length,
        })}
      </span>
      <span>{t('{count, plural, one {# person} other {# people}}', { count: people })}</span>
    </>
  );
}
