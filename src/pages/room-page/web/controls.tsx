/** Bar below the stage. Each control can be reached by Tab, and by the keys of `shortcuts.ts`. */
import { mayShareScreen } from '../../../../client/devices.js';
import { t } from '../../shared/web/words/translate.ts';
import { Control } from './control.tsx';
import { Icon } from './icon.tsx';
import { adoptionObstacle, leave, toggle, toggleHand, toggleScreen } from './meeting.ts';
import { camera, microphone, screen } from './own-media.ts';
import { ReactionControl } from './reaction-control.tsx';
import { isModerator, mayWrite, type SessionState, selfOf } from './room-state.ts';
import { panel, togglePanel, unread } from './screen-state.ts';
import type { Shortcut } from './shortcuts.ts';

export function Controls({ state }: { state: SessionState }) {
  const isTalker = state.role === 'moderator' || state.role === 'participant';
  const isSharing = screen.value !== undefined;
  const count = unread.value;
  const knocking = isModerator(state) ? state.knocking.length : 0;
  const { size } = state.people;
  return (
    <nav class="controls" aria-label={t('Controls')}>
      {isTalker && (
        <>
          <DeviceControl kind="audio" name="microphone" shortcut="m" />
          <DeviceControl kind="video" name="camera" shortcut="v" />
          {state.room.mayShare && mayShareScreen() && (
            <Control
              icon="screen"
              text={isSharing ? t('Stop') : t('Share')}
              name={isSharing ? t('Stop sharing your screen') : t('Share your screen')}
              shortcut="s"
              isOn={isSharing}
              adoptionObstacle={adoptionObstacle('screen')}
              run={() => void toggleScreen()}
            />
          )}
        </>
      )}
      {mayWrite(state) && (
        <Control
          icon="hand"
          text={selfOf(state)?.hand ? t('Lower') : t('Hand')}
          name={selfOf(state)?.hand ? t('Lower your hand') : t('Raise your hand')}
          shortcut="h"
          isOn={selfOf(state)?.hand ?? false}
          run={toggleHand}
        />
      )}
      {mayWrite(state) && <ReactionControl />}
      <Control
        icon="chat"
        text={t('Chat')}
        name={count > 0 ? t('Chat, {count} unread', { count }) : t('Chat')}
        shortcut="c"
        isExpanded={panel.value === 'chat'}
        count={count}
        run={() => togglePanel('chat')}
      />
      <Control
        icon="people"
        text={
          <>
            <span class="wide-only">{t('People')} · </span>
            {size}
          </>
        }
        name={
          knocking > 0
            ? t('People · {size}, {waiting} waiting', { size, waiting: knocking })
            : t('People · {size}', { size })
        }
        shortcut="p"
        isExpanded={panel.value === 'people'}
        count={knocking}
        run={() => togglePanel('people')}
      />
      <button type="button" class="control leave" onClick={leave} title={t('Leave')}>
        <Icon name="leave" size={20} />
        <span>{t('Leave')}</span>
      </button>
    </nav>
  );
}

interface DeviceControlProps {
  kind: 'audio' | 'video';
  name: 'microphone' | 'camera';
  shortcut: Shortcut;
}

function DeviceControl({ kind, name, shortcut }: DeviceControlProps) {
  const { isOn } = (kind === 'audio' ? microphone : camera).value;
  const words = kind === 'audio' ? [t('Mute'), t('Unmute')] : [t('Camera'), t('Camera')];
  const names = kind === 'audio' ? [t('Mute'), t('Unmute')] : [t('Switch off the camera'), t('Switch on the camera')];
  return (
    <Control
      icon={isOn ? name : `${name}Off`}
      text={words[isOn ? 0 : 1]!}
      name={names[isOn ? 0 : 1]!}
      shortcut={shortcut}
      isOff={!isOn}
      adoptionObstacle={adoptionObstacle(kind)}
      run={() => void toggle(kind)}
    />
  );
}
