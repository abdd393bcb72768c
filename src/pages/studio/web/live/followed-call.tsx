/** State of a call to a phone next to the picture of its flow: ringing, answered, or the reason of its end. */
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { type CallRow, callRowOf } from '../call-rows/call-row.ts';
import { addressOf } from '../shell/router.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { phaseOf } from './call-out-words.ts';
import { type FlowPicture, useCallPath } from './call-path.ts';
import { live } from './live-store.ts';

interface FollowedCallProps extends FlowPicture {
  id: string;
  /** Opens the form for another call. */
  again(): void;
}

/** Interval of reads of a call that the event stream does not have. */
const READ_AGAIN_MS = 500;
const TONES = { wait: 'warn', good: 'good', bad: 'bad' } as const;

interface ReadCall {
  row: CallRow;
  isConnected: boolean;
}

async function readCall(id: string): Promise<ReadCall> {
  const path = `/voice/v1/call/${encodeURIComponent(id)}/journal?limit=1`;
  const { call } = await request<{ call: Parameters<typeof callRowOf>[0] }>(path);
  return { row: callRowOf(call), isConnected: call['connected'] !== undefined };
}

export function FollowedCall({ id, again, ...picture }: FollowedCallProps) {
  const read = useSignal<ReadCall | undefined>(undefined);
  const failure = useSignal('');
  const row = useComputed(() =>
    read.value?.row.endedMs === undefined ? (live.value.calls.get(id) ?? read.value?.row) : read.value.row,
  );
  const phase = useComputed(() => phaseOf(row.value, read.value?.isConnected));
  const isOver = useComputed(() => phase.value.isOver);
  const voiceId = useSignal<string | undefined>(id);
  useEffect(() => {
    // The record of an ended call has its result. A call that failed at once was never in the stream.
    const timer = setInterval(() => {
      if (live.peek().calls.has(id)) return;
      readCall(id).then(
        (found) => {
          read.value = found;
          failure.value = '';
          if (found.row.endedMs !== undefined) clearInterval(timer);
        },
        (error: Error) => {
          failure.value = error.message;
        },
      );
    }, READ_AGAIN_MS);
    return () => clearInterval(timer);
  }, [id]);
  useCallPath(voiceId, isOver, picture);
  const { words, tone } = phase.value;
  return (
    <section class="followed-call" aria-label={t('Call to a phone')}>
      <p aria-live="polite">
        <span class={`pill ${TONES[tone]}`}>{words}</span> <b>{row.value?.to}</b>
      </p>
      {failure.value !== '' && <p role="alert">{failure.value}</p>}
      <p>
        <a class="button" href={addressOf(`/calls/${encodeURIComponent(id)}`)}>
          {isOver.value ? t('See what happened →') : t('Open the call')}
        </a>
        {isOver.value && (
          <WriteAccessOnly>
            <button type="button" class="button" onClick={again}>
              {t('Call again')}
            </button>
          </WriteAccessOnly>
        )}
      </p>
    </section>
  );
}
