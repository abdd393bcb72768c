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

/** Share of a camera's width that a tile must show: the sides are cut off to fill more of a narrow tile. */
const LEAST_WIDTH = 2 / 3;

/**
 * Size of a video in a tile, as expressions of ffmpeg's `scale` filter, which knows the size of each frame. A camera
 * may be wider than its tile, which then shows its middle. `if`: condition without which the video is as small as
 * possible.
 */
export function sizeIn({ width, height }: Size, options: { isCut: boolean; if?: string }): { w: string; h: string } {
  const widest = options.isCut ? width / LEAST_WIDTH : width;
  const factor = `min(${height}/ih,${widest}/iw)`;
  const length = (side: string): string => {
    const fitted = `2*max(1,trunc(${side}*${factor}/2+0.01))`;
    return options.if === undefined ? fitted : `if(${options.if},${fitted},2)`;
  };
  return { w: length('iw'), h: length('ih') };
}

/** True if the sides of a camera are cut off in the tile, because cameras are seldom narrower than 16:9. */
export const isNarrow = ({ width, height }: Size): boolean => width / height < WIDE - 0.1;

const WIDE = 16 / 9;

export const even = (length: number): number => Math.floor(length / 2) * 2;
