/**
 * Plays a live stream (HLS) in a video element: by a library where scripts may feed the element, because browsers differ in
 * what they make of a live stream that changes; else, as on older iPhones, the browser plays it itself.
 */
import type Hls from 'hls.js/light';

/** Something was lost on the way, or is not there yet. */
const RETRY_MS = 2000;

/** Returns what ends it. */
export function playStream(video: HTMLVideoElement, url: string): () => void {
  let player: Hls | undefined;
  let isOver = false;
  void loadPlayer().then((Player) => {
    if (isOver) return;
    if (!Player) {
      video.src = url;
      return;
    }
    // A worker would be made of a script that is not one of our files.
    const made = new Player({ enableWorker: false });
    player = made;
    made.on(Player.Events.ERROR, (_event, { fatal, type }) => {
      if (!fatal) return;
      if (type === Player.ErrorTypes.MEDIA_ERROR) made.recoverMediaError();
      else setTimeout(() => player?.loadSource(url), RETRY_MS);
    });
    made.loadSource(url);
    made.attachMedia(video);
  });
  return () => {
    isOver = true;
    player?.destroy();
    player = undefined;
    video.removeAttribute('src');
  };
}

/** Undefined: it would not work here. */
async function loadPlayer(): Promise<typeof Hls | undefined> {
  if (!('MediaSource' in globalThis || 'ManagedMediaSource' in globalThis)) return undefined;
  try {
    return (await import('hls.js/light')).default;
  } catch {
    return undefined;
  }
}
