/**
 * Which part of a drawing is seen, and how large. The layer is moved without drawing anything again; what is drawn changes
 * only when other cells come into view, or the view becomes a far one.
 */
import { batch, signal } from '@preact/signals';

export interface View {
  x: number;
  y: number;
  /** How many px a px of the drawing takes. */
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

const CELL = 500;
const FAR = 0.5;
const TINY = 0.09;
const SMALLEST = 0.02;
const LARGEST = 2;
/** Nothing is drawn larger than this to fill the view. */
const LARGEST_FIT = 1.1;
/** Room for what stands over the drawing. */
const MARGIN = { x: 40, top: 48, bottom: 64 };
const GRID = 22;

export class Viewport {
  /** Cards are blocks, with the names of landmarks only. */
  readonly isFar = signal(false);
  /** From so far that icons would only be dust. */
  readonly isTiny = signal(false);
  /** The part of the drawing that has to be there, in whole cells. */
  readonly cells = signal<Box>({ left: 0, top: 0, right: 0, bottom: 0 });
  /** Counts moves, for those who draw the view itself: the map. */
  readonly moves = signal(0);
  view: View = { x: MARGIN.x, y: MARGIN.top, scale: 1 };
  #box: HTMLElement | undefined;
  #layer: HTMLElement | undefined;
  #shownScale = 0;
  #size: Size = { width: 0, height: 0 };
  /** The drawing that is shown whole, until one moves, and how small it may become by it. */
  #whole: { drawing: Size; smallest: number } | undefined;

  attach(box: HTMLElement, layer: HTMLElement): void {
    this.#box = box;
    this.#layer = layer;
    this.#size = { width: box.clientWidth, height: box.clientHeight };
  }

  /** Of the box. Kept, because asking the page for it makes it lay out what has just changed. */
  get size(): Size {
    return this.#size;
  }

  /** The box has another size: what was shown whole still is. */
  resize(): void {
    this.#size = { width: this.#box?.clientWidth ?? 0, height: this.#box?.clientHeight ?? 0 };
    if (this.#whole !== undefined) this.fit(this.#whole.drawing, this.#whole.smallest);
    else this.#show(this.view);
  }

  /** Where a point of the window lies in the drawing. */
  pointAt(clientX: number, clientY: number): [x: number, y: number] {
    const { left, top } = this.#box?.getBoundingClientRect() ?? { left: 0, top: 0 };
    const { x, y, scale } = this.view;
    return [(clientX - left - x) / scale, (clientY - top - y) / scale];
  }

  pan(dx: number, dy: number): void {
    this.#move({ ...this.view, x: this.view.x + dx, y: this.view.y + dy });
  }

  /** Keeps the point under the pointer where it is. */
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

  /** Not smaller than `smallest`: then the drawing begins at the left, and one looks round. */
  fit(drawing: Size, smallest = SMALLEST): void {
    const { width, height } = this.size;
    const room = { x: width - 2 * MARGIN.x, y: height - MARGIN.top - MARGIN.bottom };
    const scale = Math.max(
      smallest,
      Math.min(LARGEST_FIT, room.x / Math.max(1, drawing.width), room.y / Math.max(1, drawing.height)),
    );
    this.#whole = { drawing, smallest };
    this.#show({
      scale,
      x: Math.max(MARGIN.x, (width - drawing.width * scale) / 2),
      y: Math.max(MARGIN.top, (height - MARGIN.bottom + MARGIN.top - drawing.height * scale) / 2),
    });
  }

  /** Moves as little as it can to bring a part of the drawing into view. */
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
      x: along(this.view.x, x, width, boxWidth, MARGIN.x, MARGIN.x),
      y: along(this.view.y, y, height, boxHeight, MARGIN.top, MARGIN.bottom),
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
        this.#box.style.setProperty('--scale', scale.toFixed(3));
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
      this.isFar.value = scale < FAR;
      this.isTiny.value = scale < TINY;
      if (!isSame) this.cells.value = cells;
      this.moves.value += 1;
    });
  }
}
