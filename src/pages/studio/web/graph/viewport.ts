/**
 * Visible part and scale of a drawing. Moving the layer renders nothing; rendering is only needed when other cells come
 * into view or the level of detail changes.
 */
import { batch, signal } from '@preact/signals';
import { CARD_WIDTH } from './drawing.ts';

export interface View {
  x: number;
  y: number;
  /** Screen pixels for a pixel of the drawing. */
  scale: number;
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Size {
  width: number;
  height: number;
}

/**
 * Level of detail, by the room that a card has on the screen: the whole card, its title on up to two lines, its title
 * on one line, or a bar without text.
 */
export type Level = 'cards' | 'titles' | 'names' | 'bars';

/** Minimum width of a card on the screen for a level, in px. */
const LEAST_ROOM: readonly (readonly [Level, number])[] = [
  ['cards', 190],
  ['titles', 96],
  ['names', 44],
];

export const levelAt = (scale: number): Level =>
  LEAST_ROOM.find(([, room]) => CARD_WIDTH * scale >= room)?.[0] ?? 'bars';

/** Smallest scale at which a flow opens: its smallest text is 11 px high. */
export const LEGIBLE = 0.85;
/** Smallest scale at which cards have names. */
export const LEGIBLE_NAMES = 44.5 / CARD_WIDTH;

export interface FitOptions {
  /** Minimum scale. If the drawing needs a smaller one, a part of it is shown. */
  smallest?: number;
  /** Card that is in view in any case. */
  start?: ({ x: number; y: number } & Size) | undefined;
}

const CELL = 500;
/** Smallest scale at which notes are shown beside their cards. */
const NEAR = 1.4;
const SMALLEST = 0.02;
const LARGEST = 2;
/** Maximum scale of a fitted view. */
const MAX_FIT = 1;
/** Margins for the controls above the drawing. */
const MARGIN = { x: 40, top: 48, bottom: 64 };
const GRID = 22;

export class Viewport {
  readonly level = signal<Level>('cards');
  /** Part of the drawing that must be rendered, in whole cells. */
  readonly cells = signal<Box>({ left: 0, top: 0, right: 0, bottom: 0 });
  /** True if the scale has room for notes. */
  readonly isNear = signal(false);
  /** Number of moves, for components that draw the view itself, such as the minimap. */
  readonly moves = signal(0);
  /** Height at the top that something else covers, in px. */
  above = 0;
  view: View = { x: MARGIN.x, y: MARGIN.top, scale: 1 };
  #box: HTMLElement | undefined;
  #layer: HTMLElement | undefined;
  #shownScale = 0;
  #size: Size = { width: 0, height: 0 };
  /** Width at the right side that something else covers, in px. */
  #covered = 0;
  /** Drawing fitted to the view until the user moves it. */
  #whole: { drawing: Size; options: FitOptions } | undefined;

  attach(box: HTMLElement, layer: HTMLElement): void {
    this.#box = box;
    this.#layer = layer;
    this.#size = { width: box.clientWidth, height: box.clientHeight };
  }

  /** Size of the box. Cached, because reading it from the page forces a layout. */
  get size(): Size {
    return this.#size;
  }

  get covered(): number {
    return this.#covered;
  }

  get #top(): number {
    return MARGIN.top + this.above;
  }

  /** Called when the box was resized. A fitted drawing is fitted again. */
  resize(): void {
    this.#size = { width: this.#box?.clientWidth ?? 0, height: this.#box?.clientHeight ?? 0 };
    this.#fitAgain();
  }

  /** Keeps fitted and revealed parts out of a covered width at the right side, in px. `card` stays in view. */
  cover(width: number, card?: { x: number; y: number } & Size): void {
    if (width === this.#covered) return;
    this.#covered = width;
    this.#fitAgain();
    if (width > 0 && card !== undefined) this.reveal(card);
  }

  #fitAgain(): void {
    if (this.#whole !== undefined) this.fit(this.#whole.drawing, this.#whole.options);
    else this.#show(this.view);
  }

  /** Converts a point of the window to the drawing. */
  pointAt(clientX: number, clientY: number): [x: number, y: number] {
    const { left, top } = this.#box?.getBoundingClientRect() ?? { left: 0, top: 0 };
    const { x, y, scale } = this.view;
    return [(clientX - left - x) / scale, (clientY - top - y) / scale];
  }

  pan(dx: number, dy: number): void {
    this.#move({ ...this.view, x: this.view.x + dx, y: this.view.y + dy });
  }

  /** Zooms around the pointer. */
  zoom(factor: number, clientX: number, clientY: number): void {
    const { left, top } = this.#box!.getBoundingClientRect();
    const { x, y, scale } = this.view;
    const next = Math.min(LARGEST, Math.max(SMALLEST, scale * factor));
    const at = { x: clientX - left, y: clientY - top };
    this.#move({ scale: next, x: at.x - ((at.x - x) / scale) * next, y: at.y - ((at.y - y) / scale) * next });
  }

  zoomAtMiddle(factor: number): void {
    const { left, top, width, height } = this.#box!.getBoundingClientRect();
    this.zoom(factor, left + width / 2, top + height / 2);
  }

  /** Fits the drawing. */
  fit(drawing: Size, options: FitOptions = {}): void {
    const { smallest = SMALLEST, start } = options;
    const { width, height } = this.size;
    const room = { x: width - this.#covered - 2 * MARGIN.x, y: height - this.#top - MARGIN.bottom };
    const scale = Math.max(
      smallest,
      Math.min(MAX_FIT, room.x / Math.max(1, drawing.width), room.y / Math.max(1, drawing.height)),
    );
    this.#whole = { drawing, options };
    this.#show({
      scale,
      x: placed(room.x, drawing.width * scale, MARGIN.x, start && { at: start.x * scale, size: start.width * scale }),
      y: placed(
        room.y,
        drawing.height * scale,
        this.#top,
        start && { at: start.y * scale, size: start.height * scale },
      ),
    });
  }

  /** Moves the view as little as possible to show a part of the drawing. */
  reveal({ x, y, width, height }: { x: number; y: number } & Size, isCentred = false): void {
    const { width: boxWidth, height: boxHeight } = this.size;
    const { scale } = this.view;
    const along = (at: number, start: number, length: number, room: number, before: number, after: number): number => {
      if (isCentred) return room / 2 - (start + length / 2) * scale;
      const first = start * scale + at;
      const last = (start + length) * scale + at;
      if (first < before || length * scale > room - before - after) return at + before - first;
      return last > room - after ? at + room - after - last : at;
    };
    this.#move({
      scale,
      x: along(this.view.x, x, width, boxWidth - this.#covered, MARGIN.x, MARGIN.x),
      y: along(this.view.y, y, height, boxHeight, this.#top, MARGIN.bottom),
    });
  }

  #move(view: View): void {
    const { x, y, scale } = this.view;
    if (view.x === x && view.y === y && view.scale === scale) return;
    this.#whole = undefined;
    this.#show(view);
  }

  #show(view: View): void {
    this.view = view;
    const { x, y, scale } = view;
    const { width, height } = this.size;
    if (this.#layer !== undefined) this.#layer.style.transform = `translate(${x}px,${y}px) scale(${scale})`;
    if (this.#box !== undefined) {
      this.#box.style.backgroundPosition = `${x}px ${y}px`;
      if (this.#shownScale !== scale) {
        this.#shownScale = scale;
        this.#box.style.backgroundSize = `${GRID * scale}px ${GRID * scale}px`;
        this.#box.style.setProperty('--scale', scale.toFixed(4));
      }
    }
    const cells: Box = {
      left: (Math.floor(-x / scale / CELL) - 0.5) * CELL,
      top: (Math.floor(-y / scale / CELL) - 0.5) * CELL,
      right: (Math.ceil((width - x) / scale / CELL) + 0.5) * CELL,
      bottom: (Math.ceil((height - y) / scale / CELL) + 0.5) * CELL,
    };
    const last = this.cells.peek();
    const isSame =
      cells.left === last.left && cells.top === last.top && cells.right === last.right && cells.bottom === last.bottom;
    batch(() => {
      this.level.value = levelAt(scale);
      if (!isSame) this.cells.value = cells;
      this.isNear.value = scale >= NEAR;
      this.moves.value += 1;
    });
  }
}

/** Offset along one axis: centred if there is room, otherwise from the beginning, with the start in view. */
function placed(room: number, size: number, margin: number, start?: { at: number; size: number }): number {
  if (size <= room) return margin + (room - size) / 2;
  if (start === undefined || start.at + start.size <= room) return margin;
  return margin - Math.min(start.at - (room - start.size) / 2, size - room);
}

/** Visible part of the drawing. */
export function viewedBox({ view: { x, y, scale }, size: { width, height } }: Pick<Viewport, 'view' | 'size'>): Box {
  return { left: -x / scale, top: -y / scale, right: (width - x) / scale, bottom: (height - y) / scale };
}
