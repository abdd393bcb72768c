/** Band with the last two captions, below the stage. Lines disappear a while after they were last changed. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Caption } from '../../../../client/room-client.js';
import { t } from '../../shared/web/words/translate.ts';

const SHOWN_MS = 8000;
const LINES = 2;

export function CaptionBand({ captions }: { captions: readonly Caption[] }) {
  /** Line up to which the captions have disappeared. */
  const past = useSignal<readonly Caption[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => {
      past.value = captions;
    }, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [captions]);
  const shown = captions.filter((one) => !past.value.includes(one)).slice(-LINES);
  // Words that may still change are not read aloud.
  return (
    <section class="captions" aria-label={t('Captions')}>
      <div aria-live="polite">{shown.filter(({ final }) => final).map(lineOf)}</div>
      <div aria-live="off">{shown.filter(({ final }) => !final).map(lineOf)}</div>
    </section>
  );
}

const lineOf = ({ line, name, text, final }: Caption) => (
  <p key={line} class={final ? '' : 'interim'} dir="auto">
    <strong>{name}</strong> <span>{text}</span>
  </p>
);
