/** Actions of a moderator for a participant. */
import type { Participant, Source } from '../../../../client/room-client.js';
import { t } from '../../shared/web/words/translate.ts';
import { say } from './meeting.ts';

interface PersonActionsProps {
  one: Participant;
  isLecture: boolean;
  isSpotlit: boolean;
}

export function PersonActions({ one, isLecture, isSpotlit }: PersonActionsProps) {
  const { id: participant, name, role } = one;
  const mayTalk = role === 'moderator' || (role === 'participant' && (!isLecture || one.floor));
  const mute = (source: Source, muted: boolean, hard: boolean) => () =>
    say({ type: 'mute_user', participant, source, muted, hard });
  const isLocked = one.hard_muted.includes('audio');
  return (
    <details class="person-actions">
      <summary aria-label={t('Actions for {name}', { name })}>{t('Actions')}</summary>
      <div>
        {isLecture && role === 'participant' && (
          <Action
            text={one.floor ? t('Take the floor back') : t('Give the floor')}
            name={name}
            run={() => say({ type: 'floor', participant, given: !one.floor })}
          />
        )}
        {mayTalk && !one.muted.includes('audio') && (
          <Action text={t('Mute')} name={name} run={mute('audio', true, false)} />
        )}
        {mayTalk && (
          <Action
            text={isLocked ? t('Let unmute') : t('Mute and lock')}
            name={name}
            run={mute('audio', !isLocked, !isLocked)}
          />
        )}
        {mayTalk && one.published.includes('video') && !one.phone && (
          <Action text={t('Switch off camera')} name={name} run={mute('video', true, false)} />
        )}
        {mayTalk && one.published.includes('screen') && (
          <Action text={t('Stop screen')} name={name} run={mute('screen', true, false)} />
        )}
        {mayTalk && (
          <Action
            text={isSpotlit ? t('End the spotlight') : t('Spotlight for all')}
            name={name}
            run={() => say({ type: 'spotlight', participant, on: !isSpotlit })}
          />
        )}
        <Action text={t('Remove')} name={name} run={() => say({ type: 'drop', participant })} isDanger />
      </div>
    </details>
  );
}

interface ActionProps {
  text: string;
  name: string;
  isDanger?: boolean;
  run(): void;
}

const Action = ({ text, name, isDanger = false, run }: ActionProps) => (
  <button type="button" class={`button ${isDanger ? 'danger' : ''}`} aria-label={`${text}: ${name}`} onClick={run}>
    {text}
  </button>
);
