/** The frame of a screen: where one is, what one can do, the panes, and a line of facts at the end. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

interface PageProps {
  /** Of the window, and for readers. */
  title: string;
  /** Where one is: `flows / welcome-menu`. The title when it is absent. */
  crumb?: ComponentChildren;
  actions?: ComponentChildren;
  status?: ComponentChildren;
  children: ComponentChildren;
}

export function Page({ title, crumb = title, actions, status, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Callweave`;
  }, [title]);
  return (
    <div class="page">
      <header class="page-head">
        <h1 class="crumb">{crumb}</h1>
        <div class="actions">{actions}</div>
      </header>
      <main class="page-body">{children}</main>
      {status !== undefined && <footer class="status">{status}</footer>}
    </div>
  );
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
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(at + by + panes.length) % panes.length]!;
  const inside = next.querySelector<HTMLElement>(
    '[tabindex="0"], input, textarea, select, button, a[href], .cm-content',
  );
  (inside ?? next).focus();
}
