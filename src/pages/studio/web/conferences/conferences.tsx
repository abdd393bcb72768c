/**
 * Screen `/conferences`: active conferences with their members, and queues with waiting callers. Uses `meetings.ts`.
 */
import './conferences.css';
import { t } from '../../../shared/web/words/translate.ts';
import { project } from '../api.ts';
import { durationOf } from '../call-rows/call-times.ts';
import { Empty } from '../empty-screen/empty.tsx';
import { useCommands } from '../shell/commands.ts';
import { useEvery, useLoaded } from '../shell/load.ts';
import { announce, tell, tellError } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf } from '../shell/router.ts';
import { rowAtFocus, rowCommands } from '../shell/rows.ts';
import { session } from '../shell/session.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import {
  type ConferenceData,
  changeMember,
  endConference,
  hangUp,
  type Meetings,
  type Member,
  placesOf,
  type Queue,
  type QueuedCallerData,
  readMeetings,
  wordsOfCaller,
} from './meetings.ts';
import { PresenceTable, RowActs } from './presence-table.tsx';

const REFRESH_MS = 2000;
const GROUP = t('Conferences');

interface Acts {
  mute(conference: ConferenceData, member: Member): void;
  hold(conference: ConferenceData, member: Member): void;
  drop(caller: Member | QueuedCallerData): void;
  end(conference: ConferenceData): void;
}

export function Conferences() {
  const { loaded, reload } = useLoaded(readMeetings, [project.value]);
  useEvery(REFRESH_MS, reload);
  const there = loaded.value.state === 'there' ? loaded.value.value : undefined;
  const acts = actsOf(reload);
  const isAdmin = typeof session.value === 'object' && session.value.role === 'admin';
  useCommands(() => {
    const atFocus = () => findMember(there, rowAtFocus());
    const withMember = (act: (conference: ConferenceData, member: Member) => void) => () => {
      const found = atFocus();
      if (found?.conference && found.member) act(found.conference, found.member);
    };
    return [
      ...rowCommands(t('call'), GROUP),
      {
        title: t('Mute this call, or let it speak'),
        keys: 'm',
        group: GROUP,
        changes: true,
        run: withMember(acts.mute),
      },
      {
        title: t('Put this call on hold, or take it back'),
        ...{ keys: 'h', group: GROUP, changes: true, run: withMember(acts.hold) },
      },
      {
        title: t('Hang this call up'),
        keys: 'x',
        group: GROUP,
        changes: true,
        run: () => {
          const found = atFocus();
          if (found) acts.drop(found.caller);
        },
      },
      {
        title: t('End the conference of this call'),
        keys: 'e',
        group: GROUP,
        changes: true,
        run: withMember(acts.end),
      },
    ];
  }, [there]);
  return (
    <Page title={t('Conferences')} status={there && <Totals meetings={there} />}>
      <Pane label={t('Conferences and queues')} class="sheet">
        {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
        {there && there.conferences.length + there.queues.length === 0 && (
          <Empty
            icon="conferences"
            text={t('No active conferences. Callers who meet in a conference or wait in a queue appear here.')}
          >
            {isAdmin && (
              <WriteAccessOnly>
                <a class="button primary" href={addressOf('/flows', { new: 'conference' })}>
                  {t('New flow with a conference')}
                </a>
              </WriteAccessOnly>
            )}
          </Empty>
        )}
        {there?.conferences.map((conference) => (
          <ConferenceSection key={conference.conference_id} conference={conference} nowMs={there.atMs} acts={acts} />
        ))}
        {there?.queues.map((queue) => (
          <QueueSection key={queue.name} queue={queue} nowMs={there.atMs} acts={acts} />
        ))}
      </Pane>
    </Page>
  );
}

function actsOf(reload: () => void): Acts {
  const attempt = (act: Promise<unknown>, done: string): void => {
    act.then(() => announce(done), tellError).finally(reload);
  };
  return {
    mute: (conference, member) =>
      attempt(
        changeMember(conference, member, { muted: !member.muted }),
        member.muted ? t('{from} is heard again', { from: member.from }) : t('{from} is muted', { from: member.from }),
      ),
    hold: (conference, member) =>
      attempt(
        changeMember(conference, member, { hold: !member.hold }),
        member.hold ? t('{from} is back', { from: member.from }) : t('{from} is on hold', { from: member.from }),
      ),
    drop(caller) {
      if (!confirm(t('Hang up the call of {from}?', { from: caller.from }))) return;
      attempt(hangUp(caller), t('The call of {from} was hung up', { from: caller.from }));
    },
    end(conference) {
      if (!confirm(t('End the conference {name}? Calls that were made for it are hung up.', { name: conference.name })))
        return;
      endConference(conference)
        .then(() => tell(t('The conference {name} has ended', { name: conference.name })), tellError)
        .finally(reload);
    },
  };
}

interface Found {
  caller: Member | QueuedCallerData;
  conference?: ConferenceData;
  member?: Member;
}

function findMember(meetings: Meetings | undefined, id: string | undefined): Found | undefined {
  for (const conference of meetings?.conferences ?? []) {
    const member = conference.participants.find(({ voice_id }) => voice_id === id);
    if (member) return { caller: member, conference, member };
  }
  const caller = meetings?.queues.flatMap(({ callers }) => callers).find(({ voice_id }) => voice_id === id);
  return caller && { caller };
}

interface SectionProps {
  nowMs: number;
  acts: Acts;
}

function ConferenceSection({ conference, nowMs, acts }: SectionProps & { conference: ConferenceData }) {
  const { name, participants, recording, created, state } = conference;
  return (
    <section class="meeting" aria-label={t('Conference {name}', { name })}>
      <header>
        <h2>{name}</h2>
        {recording && <span class="pill bad">{t('● recorded')}</span>}
        <small>
          {state === 'initiated'
            ? t('no calls yet, for {duration}', { duration: durationOf(nowMs - Date.parse(created)) })
            : t('{count, plural, one {# call} other {# calls}}, for {duration}', {
                count: participants.length,
                duration: durationOf(nowMs - Date.parse(created)),
              })}
        </small>
        <WriteAccessOnly>
          <button type="button" class="button danger" onClick={() => acts.end(conference)}>
            {t('End')}
          </button>
        </WriteAccessOnly>
      </header>
      {participants.length > 0 && (
        <PresenceTable who={t('call')} how={t('how it is')}>
          {participants.map((member) => (
            <tr key={member.voice_id}>
              <Caller of={member} />
              <td>
                <MemberState of={member} />
              </td>
              <td class="number">{durationOf(nowMs - Date.parse(member.joined))}</td>
              <RowActs>
                <button
                  type="button"
                  class={`button ${member.muted ? 'on' : ''}`}
                  aria-pressed={member.muted}
                  aria-label={t('Mute {from}', { from: member.from })}
                  onClick={() => acts.mute(conference, member)}
                >
                  {t('Mute')}
                </button>
                <button
                  type="button"
                  class={`button ${member.hold ? 'on' : ''}`}
                  aria-pressed={member.hold}
                  aria-label={t('Hold {from}', { from: member.from })}
                  onClick={() => acts.hold(conference, member)}
                >
                  {t('Hold')}
                </button>
                <HangUp caller={member} acts={acts} />
              </RowActs>
            </tr>
          ))}
        </PresenceTable>
      )}
    </section>
  );
}

function QueueSection({ queue, nowMs, acts }: SectionProps & { queue: Queue }) {
  const longestMs = Math.max(
    0,
    ...queue.callers.filter(({ state }) => state !== 'talking').map(({ since }) => nowMs - Date.parse(since)),
  );
  return (
    <section class="meeting" aria-label={t('Queue {name}', { name: queue.name })}>
      <header>
        <h2>{queue.name}</h2>
        <span class="pill">{t('queue')}</span>
        <small>
          {queue.waiting === 0
            ? t('no callers waiting')
            : t('{waiting} waiting, the longest for {duration}', {
                waiting: queue.waiting,
                duration: durationOf(longestMs),
              })}
        </small>
      </header>
      <PresenceTable who={t('call')} how={t('how it is')}>
        {placesOf(queue).map(({ caller, position }) => (
          <tr key={caller.voice_id}>
            <Caller of={caller} />
            <td>
              <span class={`pill ${caller.state === 'talking' ? 'good' : 'warn'}`}>
                {wordsOfCaller(caller, position)}
              </span>
            </td>
            <td class="number">{durationOf(nowMs - Date.parse(caller.since))}</td>
            <RowActs>
              <HangUp caller={caller} acts={acts} />
            </RowActs>
          </tr>
        ))}
      </PresenceTable>
    </section>
  );
}

/** Link to the caller's call. */
const Caller = ({ of: { voice_id: id, from, to } }: { of: Member | QueuedCallerData }) => (
  <td>
    <a class="link" href={addressOf(`/calls/${encodeURIComponent(id)}`)} data-row={id}>
      {from} → {to}
    </a>
  </td>
);

const MemberState = ({ of: { state, muted, moderator } }: { of: Member }) => (
  <>
    {(state !== 'joined' || !muted) && (
      <span class={`pill ${state === 'joined' ? 'good' : 'warn'}`}>
        {{ joined: t('talks'), waiting: t('waits for the moderator'), held: t('on hold') }[state]}
      </span>
    )}{' '}
    {muted && <span class="pill warn">{t('muted')}</span>} {moderator && <span class="pill">{t('moderator')}</span>}
  </>
);

const HangUp = ({ caller, acts }: { caller: Member | QueuedCallerData; acts: Acts }) => (
  <button
    type="button"
    class="button danger"
    aria-label={t('Hang up {from}', { from: caller.from })}
    onClick={() => acts.drop(caller)}
  >
    {t('Hang up')}
  </button>
);

function Totals({ meetings: { conferences, queues } }: { meetings: Meetings }) {
  const members = conferences.reduce((sum, { participants }) => sum + participants.length, 0);
  const waiting = queues.reduce((sum, queue) => sum + queue.waiting, 0);
  return (
    <>
      <span>
        {t(
          '{conferences, plural, one {# conference} other {# conferences}} with {calls, plural, one {# call} other {# calls}}',
          { conferences: conferences.length, calls: members },
        )}
      </span>
      <span>{t('{waiting} waiting in queues', { waiting })}</span>
    </>
  );
}
