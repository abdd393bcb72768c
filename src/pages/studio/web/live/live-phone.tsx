/**
 * Browser phone next to the live flow: calls the flow with the microphone and follows the call in the picture. It is
 * the page `/phone` in an iframe, which posts messages about its call.
 */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { addressAtService } from '../../../shared/web/service-root.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { addressOf } from '../shell/router.ts';
import { type FlowPicture, useCallPath } from './call-path.ts';

interface LivePhoneProps extends FlowPicture {
  /** Output: ID of the call of this phone, while it is active. */
  ownCall: Signal<string | undefined>;
}

/** Caller ID of the call. */
const FROM = 'studio';

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
  useCallPath(voiceId, isOver, { flow, selected, path });
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
