/**
 * What the audience sees: one video by its address, made by the service from the session. Browsers that play HLS
 * themselves get it as it is.
 */
import type { SessionState } from './room-state.ts';

export function AudienceVideo({ state: { streamUrl } }: { state: SessionState }) {
  if (streamUrl === undefined) {
    return (
      <p class="stage-empty" role="status">
        The broadcast has not begun.
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/useMediaCaption: what people say live has no captions.
    <video class="audience" src={streamUrl} controls autoplay playsInline aria-label="Broadcast" />
  );
}
