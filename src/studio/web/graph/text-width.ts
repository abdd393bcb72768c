/**
 * How wide a text is, without a page to ask: the same everywhere, so that the same flow gives the same drawing in every
 * browser and in tests. Widths are those of common sans-serif faces, rounded up.
 */
const NARROW = /[ijlI.,:;'|!()[\]{}ft ]/;
const WIDE = /[mwMW@%—…]/;

/** In px, for 12 px. */
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

/** Most texts have nothing else. */
const ASCII = Array.from({ length: 128 }, (_, code) => widthOf(String.fromCharCode(code)));
