/** A moving picture, or the initials of whose it would be. */
import { useEffect, useRef } from 'preact/hooks';

interface PictureProps {
  track: MediaStreamTrack;
  label: string;
  /** People know their own face from mirrors. */
  isMirrored?: boolean;
  /** All of it, with bars beside it; else it fills its tile. */
  isWhole?: boolean;
}

export function Picture({ track, label, isMirrored = false, isWhole = false }: PictureProps) {
  const element = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    const video = element.current!;
    video.srcObject = new MediaStream([track]);
    return () => {
      video.srcObject = null;
    };
  }, [track]);
  const look = `${isMirrored ? ' mirrored' : ''}${isWhole ? ' whole' : ''}`;
  return <video ref={element} class={`picture${look}`} autoplay playsInline muted aria-label={label} />;
}

export const Initials = ({ name }: { name: string }) => (
  <span class="initials" aria-hidden="true">
    {initialsOf(name)}
  </span>
);

/** Of a telephone without a name: what is shown of its number says nothing in a circle. */
function initialsOf(name: string): string {
  if (/^[+\d…]+$/.test(name)) return '☎';
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase() || '?';
}
