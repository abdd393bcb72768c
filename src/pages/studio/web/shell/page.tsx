/** Layout of a screen: breadcrumb, actions, panes and a status line. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { isTyping, useCommands } from './commands.ts';
import { navigate } from './router.ts';
import { isQuarantined, isReader } from './session.ts';

interface PageProps {
  /** Title of the window, and for screen readers. */
  title: string;
  /** Breadcrumb: `flows / welcome-menu`. Default: the title. */
  crumb?: ComponentChildren;
  actions?: ComponentChildren;
  status?: ComponentChildren;
  /** Target of Escape, unless a field or a part of the screen handles it. */
  out?: string | undefined;
  children: ComponentChildren;
}

export function Page({ title, crumb = title, actions, status, out, children }: PageProps) {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${title} · Callweave`;
  }, [title]);
  useEffect(() => {
    // Moves the focus into the new screen, so that Tab continues there: the previously focused element is gone.
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, []);
  useCommands(
    () =>
      out === undefined
        ? []
        : [{ title: t('Go up one level'), keys: 'Escape', group: t('Everywhere'), run: () => leave(out) }],
    [out],
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1 class="crumb">{crumb}</h1>
        {isQuarantined() && (
          <strong class="quarantine" title={t('All calls and changes are refused, and no events are sent')}>
            {tNodes('Quarantine<more>: for looking only</more>', { more: (part) => <span>{part}</span> })}
          </strong>
        )}
        {isReader() && (
          <strong class="quarantine" title={t('The token that has signed in may read, and change nothing')}>
            {t('Read only')}
          </strong>
        )}
        <div class="actions">{actions}</div>
      </header>
      <main class="page-body" ref={main} tabIndex={-1}>
        {children}
      </main>
      {status !== undefined && <footer class="status">{status}</footer>}
    </div>
  );
}

/** In a field, the first Escape only removes the focus. */
function leave(out: string): void {
  const field = document.activeElement;
  if (isTyping(field)) (field as HTMLElement).blur();
  else navigate(out);
}

/** F6 cycles through the panes. */
export const Pane = ({
  label,
  children,
  class: more = '',
}: {
  label: string;
  children: ComponentChildren;
  class?: string;
}) => (
  <section class={`pane ${more}`} aria-label={label} data-pane tabIndex={-1}>
    {children}
  </section>
);

/** Focuses the next or previous pane. */
export function focusPane(by: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => pane.checkVisibility());
  if (panes.length === 0) return;
  // Panes can be nested; the innermost counts.
  const at = panes.findLastIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(at + by + panes.length) % panes.length]!;
  // In a pane with a text editor, the editor gets the focus, not its buttons.
  const inside =
    next.querySelector<HTMLElement>('.cm-content') ??
    next.querySelector<HTMLElement>('[tabindex="0"], input, textarea, select, button, a[href]');
  // The graph reveals the focused card without scrolling.
  (inside ?? next).focus({ preventScroll: inside?.closest('.canvas') != null });
}
