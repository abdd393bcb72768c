/** The frame of a screen: where one is, what one can do, the panes, and a line of facts at the end. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { isTyping, useCommands } from './commands.ts';
import { go } from './router.ts';
import { isQuarantined, isReader } from './session.ts';

interface PageProps {
  /** Of the window, and for readers. */
  title: string;
  /** Where one is: `flows / welcome-menu`. The title when it is absent. */
  crumb?: ComponentChildren;
  actions?: ComponentChildren;
  status?: ComponentChildren;
  /** Where Escape leads, unless one types or a part of the screen means something else by it. */
  out?: string | undefined;
  children: ComponentChildren;
}

export function Page({ title, crumb = title, actions, status, out, children }: PageProps) {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${title} · Callweave`;
  }, [title]);
  useEffect(() => {
    // From here Tab goes on into the screen: what had the focus went with the screen before.
    if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, []);
  useCommands(
    () => (out === undefined ? [] : [{ title: 'One out', keys: 'Escape', group: 'Everywhere', run: () => leave(out) }]),
    [out],
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1 class="crumb">{crumb}</h1>
        {isQuarantined() && (
          <strong class="quarantine" title="Nobody can call or change anything, and no event is sent">
            Quarantine<span>: for looking only</span>
          </strong>
        )}
        {isReader() && (
          <strong class="quarantine" title="The token that has signed in may read, and change nothing">
            Read only
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

/** Out of a field first. */
function leave(out: string): void {
  const field = document.activeElement;
  if (isTyping(field)) (field as HTMLElement).blur();
  else go(out);
}

/** F6 goes round these. */
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

/** Puts the focus into the next pane, or the one before. */
export function focusPane(by: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')];
  if (panes.length === 0) return;
  // One may be inside another.
  const at = panes.findLastIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(at + by + panes.length) % panes.length]!;
  // A text is what its pane is for; the buttons above it are not.
  const inside =
    next.querySelector<HTMLElement>('.cm-content') ??
    next.querySelector<HTMLElement>('[tabindex="0"], input, textarea, select, button, a[href]');
  (inside ?? next).focus();
}
