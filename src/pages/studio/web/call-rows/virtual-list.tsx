/**
 * Virtualised list with a single tab stop. Arrow keys, Page Up, Page Down, Home and End move the active item; Enter
 * opens it. The parent owns the active index.
 */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { useCommands } from '../shell/commands.ts';
import { focusIfNowhere } from '../shell/rows.ts';

interface VirtualListProps<Item> {
  items: readonly Item[];
  keyOf(item: Item): string | number;
  rowHeight: number;
  label: string;
  /** Index of the active item; -1 if there is none. */
  active: ReadonlySignal<number>;
  onActivate(index: number): void;
  onOpen?(item: Item): void;
  /** CSS class of a row. */
  classOf?(item: Item, index: number): string;
  children(item: Item): ComponentChildren;
  /** Name of an item. If given, the arrow keys move the focus into the list from anywhere on the screen. */
  one?: string;
  /** True if the list gets the focus when its first items are shown, so that Enter opens the active one. */
  takesFocus?: boolean;
  /** True if the active item is scrolled into view after the list has changed. */
  keepsActiveInView?: boolean;
  /** Called when the end of the list comes into view. */
  onEnd?(): void;
}

/** Rows rendered above and below the view. */
const MORE_ROWS = 8;

export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, keyOf, rowHeight, label, active, onActivate, onOpen, classOf, children, onEnd, one } = props;
  const box = useRef<HTMLDivElement>(null);
  const range = useSignal<readonly [number, number]>([0, 40]);
  const id = useRef(`list-${++last}`).current;

  const look = (): void => {
    const { scrollTop, clientHeight } = box.current!;
    const from = Math.max(0, Math.floor(scrollTop / rowHeight) - MORE_ROWS);
    const to = Math.ceil((scrollTop + clientHeight) / rowHeight) + MORE_ROWS;
    const [knownFrom, knownTo] = range.peek();
    if (from !== knownFrom || to !== knownTo) range.value = [from, to];
    if (scrollTop + clientHeight >= items.length * rowHeight - rowHeight * MORE_ROWS) onEnd?.();
  };
  const reveal = (index: number): void => {
    const element = box.current;
    if (element === null || index < 0) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
  };
  useLayoutEffect(() => {
    if (props.keepsActiveInView) reveal(active.peek());
    look();
  }, [items]);
  useEffect(() => {
    const resized = new ResizeObserver(() => box.current && look());
    resized.observe(box.current!);
    return () => resized.disconnect();
  }, [items]);
  useEffect(() => active.subscribe(reveal), [active, rowHeight]);
  const isEmpty = items.length === 0;
  useEffect(() => {
    if (props.takesFocus && !isEmpty) focusIfNowhere(box.current);
  }, [isEmpty]);

  // While the list has the focus, it handles these keys itself.
  useCommands(() => {
    const enter = (): void => box.current!.focus();
    return one === undefined
      ? []
      : [
          { title: t('Next {one}', { one }), keys: 'ArrowDown', group: label, run: enter },
          { title: t('Previous {one}', { one }), keys: 'ArrowUp', group: label, run: enter },
        ];
  }, [one, label]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: active.peek() + 1,
      ArrowUp: active.peek() - 1,
      PageDown: active.peek() + page,
      PageUp: active.peek() - page,
      Home: 0,
      End: items.length - 1,
    };
    const wanted = moves[event.key];
    const opened = event.key === 'Enter' ? items[active.peek()] : undefined;
    if (wanted === undefined && opened === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    if (opened !== undefined) onOpen?.(opened);
    else if (items.length > 0) onActivate(Math.max(0, Math.min(items.length - 1, wanted!)));
  };

  const [from, to] = range.value;
  const shown = items.slice(from, to);
  const isIn = active.value >= from && active.value < Math.min(to, items.length);
  return (
    <div
      ref={box}
      class="virtual-list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={isIn ? `${id}-${active.value}` : undefined}
      onScroll={look}
      onKeyDown={onKeyDown}
    >
      <div class="virtual-rows" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
        {shown.map((item, offset) => {
          const index = from + offset;
          return (
            <div
              key={keyOf(item)}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active.value}
              aria-posinset={index + 1}
              aria-setsize={items.length}
              class={`virtual-row ${classOf?.(item, index) ?? ''}`}
              style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
              onClick={() => {
                onActivate(index);
                if (onOpen !== undefined) onOpen(item);
              }}
            >
              {children(item)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

let last = 0;
