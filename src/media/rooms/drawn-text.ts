/**
 * Names that ffmpeg draws on videos. Names are untrusted: they are in files of their own, which ffmpeg renders
 * literally, and never in a filter graph.
 */
/** Approximate width of a character, relative to the font size. */
export const LETTER_WIDTH = 0.65;

/** Distance of a name from the edges of its tile. */
export const LABEL_MARGIN = 12;

/** Name on one line; empty if there is none. */
export function lineOf(name: string, maxLetters: number): string {
  const letters = [...name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()];
  return letters.length > maxLetters ? `${letters.slice(0, maxLetters - 1).join('')}…` : letters.join('');
}

/** Filter that writes the text of the file, without its position. */
export const textFrom = (file: string, fontSize: number): string =>
  `drawtext=textfile=${file}:expansion=none:fontcolor=white:fontsize=${fontSize}`;

/** Filter that writes a name on a video, on a dark background, without its position. */
export const labelFrom = (file: string, fontSize: number): string =>
  `${textFrom(file, fontSize)}:box=1:boxcolor=black@0.5:boxborderw=6`;

/** False if ffmpeg was built without text, or finds no font. */
export const canDrawText = (run: (args: readonly string[]) => Promise<unknown>): Promise<boolean> =>
  run(['-f', 'lavfi', '-i', 'color=s=64x64:d=0.1,drawtext=text=a', '-f', 'null', '-']).then(
    () => true,
    () => false,
  );
