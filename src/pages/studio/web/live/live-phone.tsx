/**
 * Browser phone next to the live flow: calls the flow with the microphone and follows the call in the picture. It is
 * the page `/phone` in an iframe, which posts messages about its call.
 */
import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { addressAtService } from '../../../shared/web/service-root.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { readJournal } from '../call-rows/journal-source.ts';
import type { Entry } from '../journal/entries.ts';
import { pathOf, type VisitedPath } from '../journal/path.ts';
import { tellError } from '../shell/messages.tsx';
import { addressOf } from '../shell/router.ts';
import { live } from './live-store.ts';

interface LivePhoneProps {
  flow: string;
  /** Selected step of the picture. */
  selected: Signal<string | undefined>;
  /** Output: ID of the call of this phone, while it is active. */
  ownCall: Signal<string | undefined>;
  /** Output: path of the call after its end. */
  path: Signal<VisitedPath | undefined>;
}

/** Caller ID of the call. */
const FROM = 'studio';

/** Interval of reads until the end of the call is recorded. */
const READ_AGAIN_MS = 250;
const MAX_READS = 20;

async function wholeJournal(id: string, isWanted: () => boolean): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let reads = 0; reads < MAX_READS && isWanted(); reads++) {
    await readJournal(id, entries.at(-1)?.seq ?? 0, isWanted, (page) => entries.push(...page));
    if (entries.some(({ kind }) => kind === 'ended')) break;
    await new Promise((resolve) => setTimeout(resolve, READ_AGAIN_MS));
  }
  return entries;
}

export function LivePhone({ flow, selected, ownCall, path }: LivePhoneProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const token = useSignal<string | undefined>(undefined);
  const voiceId = useSignal<string | undefined>(undefined);
  const failure = useSignal('');
  const isOver = useSignal(false);
  const isLoaded = useSignal(false);
  const begin = async (): Promise<void> => {
    isOver.value = false;
    isLoaded.value = false;
    failure.value = '';
    voiceId.value = undefined;
    path.value = undefined;
    const order = { method: 'POST', json: { flow, from: FROM } } as const;
    try {
      token.value = (await request<{ token: string }>('/voice/v1/webphone', order)).token;
    } catch (error) {
      failure.value = (error as Error).message;
      isOver.value = true;
    }
  };
  useEffect(() => {
    const hear = ({ source, origin, data }: MessageEvent): void => {
      if (source !== frame.current?.contentWindow || origin !== location.origin) return;
      voiceId.value = data.voiceId;
      isOver.value = data.state === 'over';
      isLoaded.value = true;
      ownCall.value = isOver.value ? undefined : data.voiceId;
    };
    addEventListener('message', hear);
    void begin();
    return () => {
      removeEventListener('message', hear);
      path.value = undefined;
      ownCall.value = undefined;
    };
  }, []);
  const overId = isOver.value ? voiceId.value : undefined;
  useEffect(() => {
    if (overId === undefined) return undefined;
    let isWanted = true;
    wholeJournal(overId, () => isWanted).then((journal) => {
      if (!isWanted) return;
      // The lines of a selected step are drawn as strongly as the path.
      selected.value = undefined;
      path.value = pathOf(journal, { flow });
    }, tellError);
    return () => {
      isWanted = false;
    };
  }, [overId]);
  useSignalEffect(() => {
    if (isOver.value) return;
    const step = voiceId.value === undefined ? undefined : live.value.calls.get(voiceId.value)?.step;
    if (step !== undefined) selected.value = step;
  });
  return (
    <section class="live-phone" aria-label={t('Phone')}>
      {failure.value === '' && (
        <div class="phone-frame">
          {!isLoaded.value && <p role="status">{t('Opening the phone…')}</p>}
          {token.value !== undefined && (
            <iframe
              key={token.value}
              ref={frame}
              title={t('Phone')}
              src={addressAtService(`/phone/?call=now#${token.value}`)}
              allow="microphone; autoplay; speaker-selection"
            />
          )}
        </div>
      )}
      <p role="alert">{failure.value}</p>
      {isOver.value && (
        <p class="after-call">
          {overId !== undefined && (
            <a class="button primary" href={addressOf(`/calls/${encodeURIComponent(overId)}`)}>
              {t('See what happened →')}
            </a>
          )}
          <button type="button" class="button" onClick={() => void begin()}>
            {t('Call again')}
          </button>
        </p>
      )}
    </section>
  );
}
