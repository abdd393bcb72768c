/** List of participants; for moderators also the lobby, and the actions for all. */

import type { Participant } from '../../../../client/room-client.js';
import { roleWords } from '../../shared/web/role-words.ts';
import { t } from '../../shared/web/words/translate.ts';
import { DoorButtons } from './door-buttons.tsx';
import { Icon, type RoomIconName } from './icon.tsx';
import { say } from './meeting.ts';
import { PersonActions } from './person-actions.tsx';
import { isModerator, type SessionState } from './room-state.ts';
import { openDialog } from './screen-state.ts';
import { SidePanel } from './side-panel.tsx';
import { isShown } from './stage-layout.ts';

export function PeoplePanel({ state }: { state: SessionState }) {
  const isHost = isModerator(state);
  const people = inOrder(state);
  return (
    <SidePanel title={t('People ({count})', { count: people.length })}>
      <div class="panel-body">
        {isHost && state.knocking.length > 0 && <Knocking state={state} />}
        {isHost && state.room.invites.length > 0 && (
          <p class="invite-button">
            <button type="button" class="button" onClick={() => openDialog('invite')}>
              <Icon name="invite" size={15} /> {t('Invite')}
            </button>
          </p>
        )}
        <ul class="people" aria-label={t('In the room')}>
          {people.map((one) => (
            <Person key={one.id} one={one} state={state} />
          ))}
        </ul>
      </div>
      {isHost && <ForAll state={state} />}
    </SidePanel>
  );
}

/** Sorts: oneself, raised hands, moderators, the others. */
function inOrder({ people, selfId }: SessionState): Participant[] {
  const rank = ({ id, hand, role }: Participant): number =>
    id === selfId ? 0 : hand ? 1 : role === 'moderator' ? 2 : 3;
  return [...people.values()].sort((one, other) => rank(one) - rank(other));
}

const Knocking = ({ state: { knocking } }: { state: SessionState }) => (
  <section class="knocking" aria-label={t('Waiting to come in')}>
    <h3>{t('Waiting to come in')}</h3>
    <ul>
      {knocking.map(({ id, name }) => (
        <li key={id}>
          <span class="person-name">{name}</span>
          <DoorButtons id={id} name={name} />
        </li>
      ))}
    </ul>
    {knocking.length > 1 && (
      <button
        type="button"
        class="button"
        onClick={() => {
          for (const { id } of knocking) say({ type: 'admit', participant: id });
        }}
      >
        {t('Admit all')}
      </button>
    )}
  </section>
);

function Person({ one, state }: { one: Participant; state: SessionState }) {
  const isSelf = one.id === state.selfId;
  const isSilent = !isShown(one, 'audio');
  const facts: [RoomIconName, string][] = [];
  if (one.hand) facts.push(['hand', t('hand raised')]);
  if (state.spotlight === one.id) facts.push(['spotlight', t('in the spotlight')]);
  if (one.floor) facts.push(['microphone', t('has the floor')]);
  if (one.phone) facts.push(['phone', t('by telephone')]);
  if (one.poor_link) facts.push(['poor', t('poor connection')]);
  if (one.hard_muted.includes('audio')) facts.push(['lock', t('muted by a moderator')]);
  else if (isSilent && one.role !== 'viewer' && one.role !== 'audience')
    facts.push(['microphoneOff', t('microphone off')]);
  return (
    <li class="person">
      <div class="person-line">
        <span class="person-name">{isSelf ? t('{name} (you)', { name: one.name }) : one.name}</span>
        {one.role !== 'participant' && <span class="tag">{roleWords(one.role)}</span>}
        {one.away && <span class="tag warn">{t('away')}</span>}
        <span class="person-facts">
          {facts.map(([icon, text]) => (
            <span key={icon} title={text}>
              <Icon name={icon} size={15} />
              <span class="unseen">{text}</span>
            </span>
          ))}
        </span>
      </div>
      {isModerator(state) && !isSelf && (
        <PersonActions one={one} isLecture={state.room.isLecture} isSpotlit={state.spotlight === one.id} />
      )}
    </li>
  );
}

function ForAll({ state: { isRecording } }: { state: SessionState }) {
  return (
    <fieldset class="for-all panel-foot">
      <legend>{t('Everybody')}</legend>
      <button type="button" class="button" onClick={() => say({ type: 'mute_all', source: 'audio', muted: true })}>
        <Icon name="microphoneOff" size={15} /> {t('Mute all')}
      </button>
      <button
        type="button"
        class="button"
        onClick={() => say({ type: 'mute_all', source: 'audio', muted: true, hard: true })}
      >
        <Icon name="lock" size={15} /> {t('Mute all and lock')}
      </button>
      <button
        type="button"
        class="button"
        onClick={() => say({ type: 'mute_all', source: 'audio', muted: false, hard: false })}
      >
        <Icon name="microphone" size={15} /> {t('Allow all to unmute')}
      </button>
      <button type="button" class="button" onClick={() => say({ type: 'record', on: !isRecording })}>
        <Icon name="record" size={15} /> {isRecording ? t('Stop recording') : t('Record')}
      </button>
      <button type="button" class="button danger" onClick={() => openDialog('end')}>
        <Icon name="leave" size={15} /> {t('End for all')}
      </button>
    </fieldset>
  );
}
