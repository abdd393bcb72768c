/**
 * Browser phone next to the live flow: calls the flow with the microphone and follows the call in the picture. It is
 * the page `/phone` in an iframe, which posts messages about its call.
 */
import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { addressAtService } from '../../../shared/web/service-root.ts';
import { request } from '../api.ts';
import { live } from './live-store.ts';

interface LivePhoneProps {
  flow: string;
  /** Selected step of the picture. */
  selected: Signal<string | undefined>;
}

/** Caller ID of the call. */
const FROM = 'studio';

export function LivePhone({ flow, selected }: LivePhoneProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const token = useSignal<string | undefined>(undefined);
  const voiceId = useSignal<string | undefined>(undefined);
  const failure = useSignal('');
  const isOver = useSignal(false);
  const begin = async (): Promise<void> => {
    isOver.value = false;
    failure.value = '';
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
    };
    addEventListener('message', hear);
    void begin();
    return () => removeEventListener('message', hear);
  }, []);
  useSignalEffect(() => {
    const step = voiceId.value === undefined ? undefined : live.value.calls.get(voiceId.value)?.step;
    if (step !== undefined) selected.value = step;
  });
  return (
    <section class="live-phone" aria-label="Phone">
      {token.value !== undefined && (
        <iframe
          key={token.value}
          ref={frame}
          title="Phone"
          src={addressAtService(`/phone/?call=now#${token.value}`)}
          allow="microphone; autoplay; speaker-selection"
        />
      )}
      <p role="alert">{failure.value}</p>
      {isOver.value && (
        <button type="button" class="button" onClick={() => void begin()}>
          Call again
        </button>
      )}
    </section>
  );
}
