/**
 * Spoken forms of written phrases in English, by which a recogniser knows them. Deterministic; a phrase with digits or
 * initials has several forms.
 */
import { wordsFor } from '../../../language/spoken/words.ts';

const english = wordsFor('en-US')!;
const SIGNS: Readonly<Record<string, string>> = { '&': ' and ', '+': ' plus ', '%': ' percent ', '@': ' at ' };
const SHORT: Readonly<Record<string, string>> = { dr: 'doctor', mr: 'mister', mrs: 'missus', st: 'saint' };
/** A phrase with many numbers would have thousands of forms. */
const MAX_FORMS = 24;

/** Lower case without punctuation, digits unchanged: for comparing written with recognised text. */
export function plainWords(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[’‘`]/g, "'")
    .replace(/[&+%@]/g, (sign) => SIGNS[sign] ?? ' ')
    .toLowerCase();
  return plain.match(/[\p{L}\p{N}]+(?:'\p{L}+)*/gu) ?? [];
}

/** Each form as plain words, the most likely first. Empty for a phrase without words. */
export function spokenForms(phrase: string): string[][] {
  let forms: string[][] = [[]];
  for (const word of plainWords(phrase)) {
    const parts = word.match(/\d+|[^\d]+/g) ?? [];
    for (const part of parts) {
      const ways = formsOf(part);
      forms = forms.flatMap((form) => ways.map((way) => [...form, ...way])).slice(0, MAX_FORMS);
    }
  }
  return forms.filter((form) => form.length > 0);
}

function formsOf(part: string): string[][] {
  if (!/^\d/.test(part)) return [[SHORT[part] ?? part]];
  const forms = [cardinal(part), pairs(part), digitByDigit(part, 'zero'), digitByDigit(part, 'oh')];
  return [...new Set(forms.flatMap((form) => form?.join(' ') ?? []))].map((form) => form.split(' '));
}

/** 42: forty two. */
const spokenNumber = (value: number): string[] => english.cardinal(value).split(/[ -]/);

const digitByDigit = (digits: string, zero: string): string[] =>
  [...digits].map((digit) => (digit === '0' ? zero : english.cardinal(digit)));

function cardinal(digits: string): string[] | undefined {
  if (digits.length > 4 || (digits.length > 1 && digits.startsWith('0'))) return undefined;
  return spokenNumber(Number(digits));
}

/** 370: three seventy; 1984: nineteen eighty four. */
function pairs(digits: string): string[] | undefined {
  if (digits.length < 3 || digits.length > 4 || digits.startsWith('0')) return undefined;
  const [first, second] = [Number(digits.slice(0, -2)), Number(digits.slice(-2))];
  if (second === 0) return undefined;
  return [...spokenNumber(first), ...(second < 10 ? ['oh'] : []), ...spokenNumber(second)];
}
