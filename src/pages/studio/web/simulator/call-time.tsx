/** Time at which the simulated call begins, because opening hours depend on it: in the time zone of the browser. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import type { CallSession } from './call-session.ts';
import { localTime } from './local-time.ts';

export function CallTime({ session }: { session: CallSession }) {
  const field = useRef<HTMLInputElement>(null);
  const startedAt = session.now.value?.started_at;
  const shown = startedAt === undefined ? '' : localTime(startedAt);
  // The field is not controlled, because each part of a typed date would be a call of its own.
  useLayoutEffect(() => {
    if (field.current !== null) field.current.value = shown;
  }, [shown]);
  const begin = (input: HTMLInputElement): void => {
    const at = new Date(input.value);
    if (Number.isNaN(at.getTime())) input.value = shown;
    else if (input.value !== shown) void session.beginAt(at);
  };
  return (
    <label class="call-start">
      {t('Call begins')}{' '}
      <input
        ref={field}
        type="datetime-local"
        title={t('Opening hours depend on it')}
        onBlur={({ currentTarget }) => begin(currentTarget)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Enter') currentTarget.blur();
        }}
      />
    </label>
  );
}
