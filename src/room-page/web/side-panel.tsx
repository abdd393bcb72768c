/** A panel beside the stage; on a telephone it lies over it. Escape closes it and gives the focus back. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { panel } from './screen-state.ts';

export function SidePanel({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // At once: what is typed next belongs here.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const first = heading.current!.closest('aside')!.querySelector<HTMLElement>('[data-first]');
    (first ?? heading.current!).focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const close = (): void => {
    panel.value = undefined;
  };
  return (
    <aside
      class="panel"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="button quiet" aria-label={`Close: ${title}`} onClick={close}>
          ✕
        </button>
      </header>
      {children}
    </aside>
  );
}
