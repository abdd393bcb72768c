/**
 * Estimates text widths without a page, so that the same flow gives the same drawing in every browser and in tests.
 * Widths are those of common sans-serif fonts, rounded up.
 */
const NARROW = /[ijlI.,:;'|!()[\]{}ft ]/;
const WIDE = /[mwMW@%—…]/;

/** Width in px at 12 px. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += ASCII[character.charCodeAt(0)] ?? widthOf(character);
  return width;
}

function widthOf(character: string): number {
  if (character > '\u2e80') return 12;
  if (NARROW.test(character)) return 4;
  if (WIDE.test(character)) return 10.4;
  return character >= 'A' && character <= 'Z' ? 8.2 : 7;
}

/** Precomputed for ASCII, which is all that most texts contain. */
const ASCII = Array.from({ length: 128 }, (_, code) => widthOf(String.fromCharCode(code)));
