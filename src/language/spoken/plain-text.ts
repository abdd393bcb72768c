/** Replaces signs in plain text that engines read badly with words: money, percentages, degrees, `&` and similar. */
import { cardinal, currency } from './numbers.ts';
import { type NumberWords, wordsFor } from './words.ts';

const NUMBER = String.raw`\d[\d.,'’]{0,20}\d|\d`;
const MONEY = new RegExp(
  String.raw`(?<![\p{L}\d])(?:[€$£₹¥]\s?-?(?:${NUMBER})|-?(?:${NUMBER})\s?[€$£₹¥])(?![\p{L}\d])`,
  'gu',
);
const SHARE = new RegExp(String.raw`(?<![\p{L}\d])(-?(?:${NUMBER}))\s?%`, 'gu');

export function plainText(written: string, language: string): string {
  const words = wordsFor(language);
  if (!words) return written;
  return written
    .replace(MONEY, (money) => currency(money, words) ?? money)
    .replace(SHARE, (whole, number: string) => share(number, words) ?? whole)
    .replace(/(?<=\s)&(?=\s)/g, words.and)
    .replace(/(?<=^|\s)\+(?=\d)/g, `${words.plus} `)
    .replace(/(?<=\S)@(?=\S)/g, ` ${words.symbols['@']} `)
    .replace(/(?<=^|\s)[#*](?=$|[\s.,!?])/g, (sign) => words.symbols[sign]!);
}

function share(number: string, words: NumberWords): string | undefined {
  const said = cardinal(number, words);
  return said && `${said} ${words.percent}`;
}
