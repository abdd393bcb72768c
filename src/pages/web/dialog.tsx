/** A box over the page: the browser's own dialog keeps the focus inside, closes by Escape and gives the focus back. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  title: string;
  close(): void;
  children: ComponentChildren;
  /** Of the box, beside `dialog`. */
  class?: string;
}

export function Dialog({ title, close, children, class: more = '' }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const pane = before?.closest<HTMLElement>('[data-pane]');
    box.current?.showModal();
    // Not the button that closes it, which comes first.
    box.current?.querySelector<HTMLElement>('input, select, textarea, [data-first]')?.focus();
    return () =>
      // A box that goes without being closed gives the focus to nobody.
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
        <button type="button" class="button quiet" aria-label="Close" onClick={() => box.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
