/** Panel next to the stage; on a phone it covers the stage. Escape closes it and returns the focus. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../shared/web/words/translate.ts';
import { panel } from './screen-state.ts';

export function SidePanel({ title, children }: { title: string; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // In a layout effect, so that the next key press goes to the panel.
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
        <button type="button" class="button quiet" aria-label={t('Close: {title}', { title })} onClick={close}>
          ✕
        </button>
      </header>
      {children}
    </aside>
  );
}
