/** Video of a participant, or the initials instead. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PictureProps {
  track: MediaStreamTrack;
  label: string;
  /** Own video is mirrored, as people know their face from mirrors. */
  isMirrored?: boolean;
  /** True to show the whole video, with bars; otherwise it fills its tile. */
  isWhole?: boolean;
  /** Shown with the words while no video arrives, for example because the link carries none. */
  standIn?: ComponentChildren;
  stillWords?: string;
}

/** A camera sends several frames a second, and none while it is paused. */
const LOOK_MS = 1000;
const STILL_LOOKS = 3;

/** True while no video arrives. */
function useStillness(
  element: RefObject<HTMLVideoElement | null>,
  track: MediaStreamTrack,
  isWatched: boolean,
): boolean {
  const isStill = useSignal(false);
  useEffect(() => {
    if (!isWatched) return;
    let [frames, looks] = [-1, 0];
    const timer = setInterval(() => {
      const now = element.current?.getVideoPlaybackQuality().totalVideoFrames ?? 0;
      looks = now === frames ? looks + 1 : 0;
      frames = now;
      isStill.value = looks >= STILL_LOOKS;
    }, LOOK_MS);
    return () => {
      clearInterval(timer);
      isStill.value = false;
    };
  }, [track, isWatched]);
  return isStill.value;
}

export function Picture({ track, label, isMirrored = false, isWhole = false, standIn, stillWords }: PictureProps) {
  const element = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const video = element.current!;
    video.srcObject = new MediaStream([track]);
    return () => {
      video.srcObject = null;
    };
  }, [track]);
  const look = `${isMirrored ? ' mirrored' : ''}${isWhole ? ' whole' : ''}`;
  const isStill = useStillness(element, track, standIn !== undefined);
  return (
    <>
      <video
        ref={element}
        class={`picture${look}${isStill ? ' still' : ''}`}
        autoplay
        playsInline
        muted
        aria-label={label}
      />
      {isStill && (
        <div class="still-note">
          {standIn}
          <p>{stillWords}</p>
        </div>
      )}
    </>
  );
}

export const Initials = ({ name }: { name: string }) => (
  <span class="initials" aria-hidden="true">
    {initialsOf(name)}
  </span>
);

/** Initials of a name; a phone without a name gets a symbol, because its masked number has no initials. */
function initialsOf(name: string): string {
  if (/^[+\d…]+$/.test(name)) return '☎';
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase() || '?';
}
