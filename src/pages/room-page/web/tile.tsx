/** Tile of one participant, or one screen, on the stage: video, name, and state. */

import { t } from '../../shared/web/words/translate.ts';
import { Icon, type RoomIconName } from './icon.tsx';
import { isWeak, session } from './meeting.ts';
import { announce } from './notices.ts';
import { Initials, Picture } from './picture.tsx';
import { reactions } from './reactions.ts';
import { selfOf } from './room-state.ts';
import { pinned } from './screen-state.ts';
import { isShown, type Tile } from './stage-layout.ts';

interface PersonTileProps {
  tile: Tile;
  track: MediaStreamTrack | undefined;
  isSelf: boolean;
  isMain: boolean;
  isTalking: boolean;
}

export function PersonTile({ tile, track, isSelf, isMain, isTalking }: PersonTileProps) {
  const { participant, source, key } = tile;
  const { name, away, hand, poor_link: hasPoorLink, phone } = participant;
  const isScreen = source === 'screen';
  const shownName = isSelf ? t('{name} (you)', { name }) : name;
  const title = isScreen ? t('Screen of {name}', { name: shownName }) : shownName;
  const isPinned = pinned.value === key;
  const isSpotlit = session.value?.spotlight === participant.id;
  const reaction = reactions.value.get(participant.id);
  return (
    <li class={`tile ${isTalking ? 'talking' : ''} ${isScreen ? 'screen' : ''}`}>
      {track ? (
        <Picture
          track={track}
          label={title}
          isMirrored={isSelf && !isScreen}
          isWhole={isScreen || isMain}
          {...(isSelf || isScreen ? {} : { standIn: <Initials name={name} />, stillWords: stillWords(hasPoorLink) })}
        />
      ) : (
        !away && <Initials name={name} />
      )}
      <div class="tile-marks">
        {isSpotlit && isMain && <Mark icon="spotlight" text={t('Spotlight')} />}
        {hand && !isScreen && <Mark icon="hand" text={t('Hand raised')} />}
        {(hasPoorLink || (isSelf && isWeak.value)) && !away && !isScreen && (
          <Mark icon="poor" text={t('Poor connection')} isWarning />
        )}
      </div>
      {reaction && !isScreen && (
        <span class="tile-reaction" key={reaction.key} aria-hidden="true">
          {reaction.emoji}
        </span>
      )}
      {away && <p class="tile-away">{t('Connection lost')}</p>}
      <p class="caption">
        {isTalking && <Badge icon="talking" text={t('speaking')} />}
        {!isScreen && !isShown(participant, 'audio') && participant.role !== 'viewer' && (
          <Badge icon="microphoneOff" text={t('microphone off')} />
        )}
        {phone && <Badge icon="phone" text={t('by telephone')} />}
        <span class="caption-name">{title}</span>
      </p>
      <div class="tile-buttons">
        {track && document.pictureInPictureEnabled && (
          <TileButton
            icon="apart"
            name={`Show ${title} in a window of its own`}
            run={(tile) => void toggleWindow(tile)}
          />
        )}
        <TileButton
          icon="pin"
          name={isPinned ? `Do not keep ${title} large` : `Keep ${title} large`}
          isPressed={isPinned}
          run={() => {
            pinned.value = isPinned ? undefined : key;
          }}
        />
      </div>
    </li>
  );
}

interface TileButtonProps {
  icon: RoomIconName;
  name: string;
  isPressed?: boolean;
  run(tile: Element): void;
}

const TileButton = ({ icon, name, isPressed, run }: TileButtonProps) => (
  <button
    type="button"
    class="tile-button"
    aria-pressed={isPressed}
    aria-label={name}
    title={name}
    onClick={({ currentTarget }) => run(currentTarget.closest('.tile')!)}
  >
    <Icon name={icon} size={15} />
  </button>
);

/** Shows the video of a tile in a window over all others (picture in picture), or ends that. */
async function toggleWindow(tile: Element): Promise<void> {
  const video = tile.querySelector('video');
  const isOpen = document.pictureInPictureElement === video;
  const changed = isOpen ? document.exitPictureInPicture() : video?.requestPictureInPicture();
  await changed?.catch(() => announce({ text: t('The browser cannot show this video in a window.'), how: 'shown' }));
}

/** Reason why no video of another participant arrives, if it is known. */
function stillWords(hasPoorLink: boolean): string {
  const self = session.value && selfOf(session.value);
  if (isWeak.value || self?.poor_link) return t('Video paused: your connection is poor');
  return hasPoorLink ? t('Video paused: their connection is poor') : t('Video paused');
}

const Mark = ({
  icon,
  text,
  isWarning = false,
}: {
  icon: 'hand' | 'poor' | 'spotlight';
  text: string;
  isWarning?: boolean;
}) => (
  <span class={`mark-badge ${isWarning ? 'warn' : ''}`}>
    <Icon name={icon} size={14} /> {text}
  </span>
);

const Badge = ({ icon, text }: { icon: 'talking' | 'microphoneOff' | 'phone'; text: string }) => (
  <span class="caption-badge">
    <Icon name={icon} size={14} />
    <span class="unseen">{text}: </span>
  </span>
);
