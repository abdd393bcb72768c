/** Pages of a printed drawing: one if it stays readable on it, otherwise tiles of it, from left to right. Pure. */

export interface PrintedPage {
  /** Part of the picture, in its own px. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Size of an A4 page in landscape without its margins, in CSS px. `save.css` has the same in mm. */
export const PAGE = { width: 1046, height: 680 };
/** Smallest scale on paper: text of 12 px is then 6.5 pt high. */
const LEAST_SCALE = 0.72;

export interface PrintedPages {
  scale: number;
  pages: PrintedPage[];
}

export function pagesOf({ width, height }: { width: number; height: number }): PrintedPages {
  const whole = Math.min(1, PAGE.width / width, PAGE.height / height);
  const scale = Math.max(LEAST_SCALE, whole);
  const across = Math.ceil((width * scale) / PAGE.width - 0.001);
  const down = Math.ceil((height * scale) / PAGE.height - 0.001);
  const part = { width: PAGE.width / scale, height: PAGE.height / scale };
  const pages = Array.from({ length: across * down }, (_, index) => ({
    x: (index % across) * part.width,
    y: Math.floor(index / across) * part.height,
    width: Math.min(part.width, width),
    height: Math.min(part.height, height),
  }));
  return { scale, pages };
}
