/** Screen before joining: preview of camera and microphone, and the name of the participant. */

import { useEffect } from 'preact/hooks';
import { roleWords } from '../../shared/web/role-words.ts';
import { LanguageChoice } from '../../shared/web/words/language-choice.tsx';
import { t, tNodes } from '../../shared/web/words/translate.ts';
import { DeviceFields, DeviceProblems } from './device-fields.tsx';
import { Icon } from './icon.tsx';
import { invitation, join } from './meeting.ts';
import { camera, microphone, switchOff, switchOn } from './own-media.ts';
import { Initials, Picture } from './picture.tsx';

export function Preview({ isJoining, isBack }: { isJoining: boolean; isBack: boolean }) {
  const { name, role, room } = invitation.value!;
  const mayTalk = role === 'moderator' || role === 'participant';
  const startsOn = role === 'moderator' || room.mode === 'group';
  useEffect(() => {
    if (!mayTalk || !startsOn) return;
    void switchOn('audio');
    void switchOn('video');
  }, []);
  return (
    <main class="door">
      <div class={`preview ${mayTalk ? '' : 'narrow'}`}>
        {mayTalk && <Mirror name={name} />}
        <section class="invitation" aria-labelledby="room-name">
          <h1 id="room-name">{room.name}</h1>
          {room.description && <p class="description">{room.description}</p>}
          <p>{tNodes('You join as {name}, {role}.', { name: <strong>{name}</strong>, role: roleWords(role) })}</p>
          <p class="hint">{hintOf(role, room.mode)}</p>
          {mayTalk && <DeviceFields />}
          <DeviceProblems />
          <button type="button" class="button primary large" disabled={isJoining} onClick={join}>
            {isJoining ? t('Joining…') : isBack ? t('Come back') : t('Join')}
          </button>
          <LanguageChoice class="language-choice" />
        </section>
      </div>
    </main>
  );
}

function hintOf(role: string, mode: 'group' | 'lecture'): string {
  if (role === 'viewer' || role === 'audience') return t('You watch and listen; others do not see or hear you.');
  if (mode === 'lecture' && role !== 'moderator')
    return t('This is a lecture: raise your hand when you want to speak.');
  return t('Check your camera and microphone before you join.');
}

function Mirror({ name }: { name: string }) {
  const { track, isOn } = camera.value;
  return (
    <section class="mirror" aria-label={t('Your picture')}>
      {isOn && track ? <Picture track={track} label={t('Your camera')} isMirrored /> : <Initials name={name} />}
      <div class="mirror-buttons">
        <Switch kind="audio" />
        <Switch kind="video" />
      </div>
    </section>
  );
}

const SWITCH_WORDS = {
  microphone: {
    switchOff: t('Switch off the microphone'),
    switchOn: t('Switch on the microphone'),
    on: t('Microphone on'),
    off: t('Microphone off'),
  },
  camera: {
    switchOff: t('Switch off the camera'),
    switchOn: t('Switch on the camera'),
    on: t('Camera on'),
    off: t('Camera off'),
  },
} as const;

function Switch({ kind }: { kind: 'audio' | 'video' }) {
  const { isOn } = (kind === 'audio' ? microphone : camera).value;
  const device = kind === 'audio' ? 'microphone' : 'camera';
  const words = SWITCH_WORDS[device];
  return (
    <button
      type="button"
      class={`control ${isOn ? '' : 'off'}`}
      aria-label={isOn ? words.switchOff : words.switchOn}
      title={isOn ? words.on : words.off}
      onClick={() => (isOn ? switchOff(kind) : void switchOn(kind))}
    >
      <Icon name={isOn ? device : `${device}Off`} size={20} />
    </button>
  );
}
