/** Where pictures are on a canvas: for archives, and for the audience. Lengths are even, as encoders of video need them. */

export interface Size {
  width: number;
  height: number;
}

export interface Rectangle extends Size {
  x: number;
  y: number;
}

/** All of one size, in lines from the top left. */
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
