/**
 * Written text → what SVOX Pico reads well, in any of its languages. It knows numbers, dates and times itself; amounts of
 * money and shares it reads sign by sign, and `<` begins a command to it.
 */
import { plainText } from '../say-as/plain-text.ts';

/** Empty when nothing of the text can be said. */
export function picoText(written: string, language: string): string {
  const spoken = plainText(written, language)
    .replace(/[<>\p{Cc}\p{Cs}\p{Co}\p{Extended_Pictographic}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return /[\p{Script=Latin}\p{N}]/u.test(spoken.normalize('NFC')) ? spoken : '';
}
