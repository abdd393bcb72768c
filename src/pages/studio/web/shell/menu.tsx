/** Button with three dots that opens a menu. Arrows go through the menu; Escape closes it. */
import './menu.css';
import { useRef } from 'preact/hooks';
import { Keys } from './keys.tsx';

export interface MenuItem {
  title: string;
  /** Keys that do the same. */
  keys?: string;
  run(): void;
}

interface MenuProps {
  /** Id of the menu in the page. */
  id: string;
  label: string;
  class?: string;
  items: readonly MenuItem[];
}

const GAP = 8;

export function Menu({ id, label, class: more = '', items }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  /** Places the menu below its button. */
  const place = ({ newState }: { newState: string }): void => {
    const button = opener.current!.getBoundingClientRect();
    if (newState !== 'open') return;
    const { style } = menu.current!;
    style.top = `${button.bottom + GAP}px`;
    style.right = `${innerWidth - button.right}px`;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const buttons = [...menu.current!.querySelectorAll('button')];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const by = ({ ArrowDown: 1, ArrowUp: -1 } as Record<string, number>)[event.key];
    if (by !== undefined) buttons[(at + by + buttons.length) % buttons.length]!.focus();
    else if (event.key === 'Escape') menu.current!.hidePopover();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <button type="button" ref={opener} class={more} popovertarget={id} aria-label={label} title={label}>
        <svg width="16" height="16" viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
          <circle cx="3" cy="8" r="1.4" />
          <circle cx="8" cy="8" r="1.4" />
          <circle cx="13" cy="8" r="1.4" />
        </svg>
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of its buttons */}
      <div
        ref={menu}
        id={id}
        popover="auto"
        class="menu"
        onBeforeToggle={place}
        onToggle={({ newState }) => {
          if (newState === 'open') menu.current?.querySelector('button')?.focus();
        }}
        onKeyDown={onKeyDown}
      >
        {items.map(({ title, keys, run }) => (
          <button
            key={title}
            type="button"
            onClick={() => {
              menu.current?.hidePopover();
              run();
            }}
          >
            {title} {keys !== undefined && <Keys of={keys} />}
          </button>
        ))}
      </div>
    </>
  );
}
