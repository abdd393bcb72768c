/**
 * Video for the audience: the live stream of the room, some seconds behind. If the room has its own page for it, that
 * page receives the URL of the stream.
 */
import { useEffect, useRef } from 'preact/hooks';
import { addressAtService } from '../../shared/web/service-root.ts';
import { t } from '../../shared/web/words/translate.ts';
import { playStream } from './live-stream.ts';
import type { SessionState } from './room-state.ts';

const WORDS = {
  starting: t('The broadcast begins in a few seconds.'),
  failed: t('The broadcast cannot be shown at the moment. It is tried again.'),
  live: t('The broadcast is on.'),
} as const;

export function AudienceVideo({ state: { stream, viewPage } }: { state: SessionState }) {
  const { state = 'starting' } = stream ?? {};
  const url = stream?.url === undefined ? undefined : addressAtService(stream.url);
  if (url !== undefined && viewPage === undefined) return <Player url={url} />;
  return (
    <div class="stage-empty" role="status">
      <p>{WORDS[state]}</p>
      {url !== undefined && viewPage !== undefined && <OwnPage page={viewPage} url={url} />}
    </div>
  );
}

function Player({ url }: { url: string }) {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => playStream(video.current!, url), [url]);
  return (
    // biome-ignore lint/a11y/useMediaCaption: what people say live has no captions.
    <video class="audience" ref={video} controls autoplay playsInline aria-label={t('Broadcast')} />
  );
}

/** Viewing lasts as long as this page is open. */
function OwnPage({ page, url }: { page: string; url: string }) {
  const link = new URL(page);
  link.hash = new URLSearchParams({ stream: new URL(url, location.href).href }).toString();
  return (
    <p>
      <a class="button primary" href={link.href} target="_blank" rel="noreferrer">
        {t('Watch at {host}', { host: link.host })}
      </a>{' '}
      {t('Keep this page open meanwhile.')}
    </p>
  );
}
