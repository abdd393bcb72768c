/**
 * Rewrites text for SVOX Pico, in all of its languages. It knows numbers, dates and times, but reads amounts of money
 * and percentages sign by sign, and treats `<` as the start of a command.
 */
import { plainText } from '../../../language/spoken/plain-text.ts';

/** Empty if no part of the text can be spoken. */
export function picoText(written: string, language: string): string {
  const spoken = plainText(written, language)
    .replace(/[<>\p{Cc}\p{Cs}\p{Co}\p{Extended_Pictographic}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return /[\p{Script=Latin}\p{N}]/u.test(spoken.normalize('NFC')) ? spoken : '';
}
