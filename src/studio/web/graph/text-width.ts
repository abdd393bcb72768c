/**
 * How wide a text is, without a page to ask: the same everywhere, so that the same flow gives the same drawing in every
 * browser and in tests. Widths are those of common sans-serif faces, rounded up.
 */
const NARROW = /[ijlI.,:;'|!()[\]{}ft ]/;
const WIDE = /[mwMW@%—…]/;

/** In px, for 12 px. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (character > '\u2e80') width += 12;
    else if (NARROW.test(character)) width += 4;
    else if (WIDE.test(character)) width += 10.4;
    else width += character >= 'A' && character <= 'Z' ? 8.2 : 7;
  }
  return width;
}
