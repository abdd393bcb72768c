/** Grid of videos on a canvas, for archives and live streams. Lengths are even, as video encoders require. */

export interface Size {
  width: number;
  height: number;
}

export interface Rectangle extends Size {
  x: number;
  y: number;
}

/** Returns tiles of equal size, in rows from the top left. */
export function gridOf(count: number, canvas: Size): Rectangle[] {
  const columns = Math.ceil(Math.sqrt(count));
  const width = even(canvas.width / columns);
  const height = even(canvas.height / Math.ceil(count / columns));
  return Array.from({ length: count }, (_, place) => ({
    x: (place % columns) * width,
    y: Math.floor(place / columns) * height,
    ...{ width, height },
  }));
}

export const even = (length: number): number => Math.floor(length / 2) * 2;
