/** Strip above the graph that asks where the routes to deleted steps lead. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { listText, t, tNodes } from '../../../shared/web/words/translate.ts';
import { Keys } from '../shell/keys.tsx';
import type { DeletionChoice } from './deletion-choice.ts';
import { stepsInWords } from './make-edits.ts';

interface DeleteStripProps {
  choice: DeletionChoice;
  close(): void;
}

export function DeleteStrip({ choice, close }: DeleteStripProps) {
  const { steps, targets, take } = choice;
  const chosen = useSignal(targets[0]!.target);
  const isAlong = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  const lost = targets.find(({ target }) => target === chosen.value)?.lost ?? [];
  useLayoutEffect(() => {
    const before = document.activeElement;
    const strip = form.current;
    strip?.querySelector<HTMLElement>('input')?.focus();
    return () => {
      const hasFocus = strip?.contains(document.activeElement) || document.activeElement === document.body;
      if (hasFocus && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, [choice]);
  return (
    <form
      class="act-strip"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        close();
        take(chosen.value, isAlong.value ? lost : []);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
        if (event.key === 'Enter') form.current?.requestSubmit();
        if (['Escape', 'Enter'].includes(event.key)) event.preventDefault();
        event.stopPropagation();
      }}
    >
      <fieldset>
        <legend>{tNodes('Routes to {steps} now lead to', { steps: <b>{stepsInWords(steps)}</b> })}</legend>
        {targets.map(({ target }) => (
          <label key={target} class="chip-choice">
            <input
              type="radio"
              name="new-target"
              checked={chosen.value === target}
              onChange={() => (chosen.value = target)}
            />
            <span>{target === '$end' ? t('end') : target}</span>
          </label>
        ))}
      </fieldset>
      {lost.length > 0 && (
        <label class="strip-lost">
          <input
            type="checkbox"
            checked={isAlong.value}
            onChange={({ currentTarget }) => (isAlong.value = currentTarget.checked)}
          />
          <span>{tNodes('Delete {lost}, too: no route leads there any more', { lost: <b>{listText(lost)}</b> })}</span>
        </label>
      )}
      <div class="strip-acts">
        <button type="submit" class="button primary">
          {t('Delete')} <Keys of="Enter" />
        </button>
        <button type="button" class="button" onClick={close}>
          {t('Cancel')} <Keys of="Escape" />
        </button>
      </div>
    </form>
  );
}
