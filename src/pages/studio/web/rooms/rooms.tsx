/** Screen for video rooms: active sessions with their participants, the other rooms, and recent participants. */
import '../conferences/conferences.css';
import { useSignal } from '@preact/signals';
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
const GROUP = 'Rooms';

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
      ...rowCommands('person', GROUP),
      { title: 'New room', keys: 'n', group: GROUP, changes: true, run: make },
      { title: 'Admit participant', keys: 'a', group: GROUP, changes: true, run: withUser(acts.admit) },
      {
        title: 'Mute this person, or let them speak',
        ...{ keys: 'm', group: GROUP, changes: true, run: withUser(acts.mute) },
      },
      {
        title: 'Remove participant, or deny entry',
        ...{ keys: 'x', group: GROUP, changes: true, run: withUser(acts.drop) },
      },
      { title: 'End the session of this person', keys: 'e', group: GROUP, changes: true, run: withUser(acts.end) },
    ];
  }, [there]);
  return (
    <Page
      title="Rooms"
      actions={
        <WriteAccessOnly>
          <button type="button" class="button primary" onClick={make}>
            New room <Keys of="n" />
          </button>
        </WriteAccessOnly>
      }
      status={there && <Totals rooms={there} />}
    >
      <Pane label="Video rooms" class="sheet">
        {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
        {there && there.live.length + there.quiet.length === 0 && (
          <Empty icon="rooms" text="No video rooms yet. People meet in one by a link, in the browser or by phone.">
            <WriteAccessOnly>
              <button type="button" class="button primary" onClick={make}>
                New room
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
      if (!isInside(user)) attempt(admitUser(room, user), `${user.name} was let in`);
    },
    mute(room, user) {
      if (!isInside(user)) return;
      const muted = !isMuted(user);
      attempt(muteUser(room, user, muted), muted ? `${user.name} is muted` : `${user.name} may speak again`);
    },
    drop(room, user) {
      if (!isInside(user)) {
        attempt(denyUser(room, user), `${user.name} was turned away`);
        return;
      }
      if (!confirm(`Send ${user.name} out of ${room.name}?`)) return;
      attempt(dropUser(room, user), `${user.name} was sent out`);
    },
    end(room) {
      if (!confirm(`End the session in ${room.name}? All participants are removed.`)) return;
      attempt(endSession(room), `The session in ${room.name} has ended`);
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
    <section class="meeting" aria-label={`Room ${name}`}>
      <header>
        <h2>{name}</h2>
        {session?.recording && <span class="pill bad">● recorded</span>}
        <small>
          {wordsOfType(room)}
          {session?.since && `, for ${durationOf(atMs - Date.parse(session.since))}`}
        </small>
        <WriteAccessOnly>
          <JoinButton room={room} acts={acts} />
          <button
            type="button"
            class="button danger"
            aria-label={`End the session in ${name}`}
            onClick={() => acts.end(room)}
          >
            End
          </button>
        </WriteAccessOnly>
      </header>
      <PresenceTable who="person" how="how they are">
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
        {name}{' '}
        <small>
          {role}
          {sip && ', telephone'}
        </small>
      </td>
      <td>
        <span class={`pill ${state === 'in' ? 'good' : 'warn'}`}>{wordsOfUser(user)}</span>{' '}
        {isMuted(user) && <span class="pill warn">muted</span>}{' '}
        {(isPoor || quality === 'Bad') && <span class="pill bad">{isPoor ? 'poor link now' : 'poor link'}</span>}{' '}
        <small>{published.join(', ')}</small>
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
              aria-label={`Mute ${name}`}
              onClick={() => acts.mute(room, user)}
            >
              Mute
            </button>
            <button
              type="button"
              class="button danger"
              aria-label={`Send out ${name}`}
              onClick={() => acts.drop(room, user)}
            >
              Send out
            </button>
          </>
        ) : (
          <>
            <button
              type="button"
              class="button"
              data-row={user.call_num}
              aria-label={`Admit ${name}`}
              onClick={() => acts.admit(room, user)}
            >
              Admit
            </button>
            <button
              type="button"
              class="button danger"
              aria-label={`Deny entry to ${name}`}
              onClick={() => acts.drop(room, user)}
            >
              Deny
            </button>
          </>
        )}
      </RowActs>
    </tr>
  );
}

const JoinButton = ({ room, acts }: { room: ListedRoom; acts: Acts }) => (
  <button type="button" class="button" aria-label={`Join ${room.name}`} onClick={() => acts.join(room)}>
    Join
  </button>
);

const QuietSection = ({ room, atMs, acts }: { room: ListedRoom; atMs: number; acts: Acts }) => (
  <section class="meeting" aria-label={`Room ${room.name}`}>
    <header>
      <h2>{room.name}</h2>
      <small>{wordsOfType(room)}, empty</small>
      <WriteAccessOnly>
        <JoinButton room={room} acts={acts} />
      </WriteAccessOnly>
    </header>
    <RoomHistory room={room} atMs={atMs} />
  </section>
);

const wordsOfType = ({ type, mode, sip: hasPhones }: ListedRoom): string =>
  `${type === 'adhoc' ? 'ad hoc' : type}${mode === 'lecture' ? ' lecture' : ''}${hasPhones ? ', by phone too' : ''}`;

function Totals({ rooms: { live, quiet } }: { rooms: VideoRooms }) {
  const people = live.reduce((sum, { users }) => sum + users.length, 0);
  return (
    <>
      <span>
        {live.length} of {live.length + quiet.length} rooms in use
      </span>
      <span>
        {people} {people === 1 ? 'person' : 'people'}
      </span>
    </>
  );
}
