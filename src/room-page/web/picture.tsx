/** A moving picture, or the initials of whose it would be. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PictureProps {
  track: MediaStreamTrack;
  label: string;
  /** People know their own face from mirrors. */
  isMirrored?: boolean;
  /** All of it, with bars beside it; else it fills its tile. */
  isWhole?: boolean;
  /** Shown while no picture arrives, as where the link carries none. */
  standIn?: ComponentChildren;
}

/** A camera sends several pictures a second, and none where it is left out. */
const LOOK_MS = 1000;
const STILL_LOOKS = 3;

/** True while no picture arrives. */
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

export function Picture({ track, label, isMirrored = false, isWhole = false, standIn }: PictureProps) {
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
      {isStill && standIn}
    </>
  );
}

export const Initials = ({ name }: { name: string }) => (
  <span class="initials" aria-hidden="true">
    {initialsOf(name)}
  </span>
);

/** Initials of a name; a telephone without a name gets a symbol, because its masked number says nothing. */
function initialsOf(name: string): string {
  if (/^[+\d…]+$/.test(name)) return '☎';
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase() || '?';
}
