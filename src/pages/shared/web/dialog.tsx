/** Modal dialog, based on the browser's `<dialog>`, which traps the focus, closes on Escape and restores the focus. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from './words/translate.ts';

interface DialogProps {
  title: string;
  close(): void;
  children: ComponentChildren;
  /** CSS class in addition to `dialog`. */
  class?: string;
}

export function Dialog({ title, close, children, class: more = '' }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  // In a layout effect, before the next key: it is typed into the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const pane = before?.closest<HTMLElement>('[data-pane]');
    box.current?.showModal();
    // Focuses the first field instead of the close button, which comes first in the document.
    box.current?.querySelector<HTMLElement>('input, select, textarea, [data-first]')?.focus();
    return () =>
      // Restores the focus if the component is removed without being closed.
      queueMicrotask(() => {
        if (document.activeElement !== document.body) return;
        if (before instanceof HTMLElement && before.isConnected) before.focus();
        else pane?.focus();
      });
  }, []);
  return (
    <dialog ref={box} class={`dialog ${more}`} aria-label={title} onClose={close} closedby="any">
      <header>
        <h2>{title}</h2>
        <button type="button" class="button quiet" aria-label={t('Close')} onClick={() => box.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
