/**
 * Plays a live stream (HLS) in a video element: by a library if scripts may feed the element, because browsers differ
 * in their handling of live streams that change; otherwise, as on older iPhones, by the browser.
 */
import type Hls from 'hls.js/light';

/** Pause before a retry after a network error, or if the stream does not exist yet. */
const RETRY_MS = 2000;

/** Returns a function that ends it. */
export function playStream(video: HTMLVideoElement, url: string): () => void {
  let player: Hls | undefined;
  let isOver = false;
  void loadPlayer().then((Player) => {
    if (isOver) return;
    if (!Player) {
      video.src = url;
      return;
    }
    // A worker would be created from a script that is not a file of the service.
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

/** Undefined if the library does not work in this browser. */
async function loadPlayer(): Promise<typeof Hls | undefined> {
  if (!('MediaSource' in globalThis || 'ManagedMediaSource' in globalThis)) return undefined;
  try {
    return (await import('hls.js/light')).default;
  } catch {
    return undefined;
  }
}
