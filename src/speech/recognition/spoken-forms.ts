/**
 * How what an author writes is said in English: the words by which a recogniser knows a phrase. Deterministic; a phrase
 * with digits or initials has several forms.
 */

const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const TEENS = [
  ...['ten', 'eleven', 'twelve', 'thirteen', 'fourteen'],
  ...['fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
];
const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const SIGNS: Readonly<Record<string, string>> = { '&': ' and ', '+': ' plus ', '%': ' percent ', '@': ' at ' };
const SHORT: Readonly<Record<string, string>> = { dr: 'doctor', mr: 'mister', mrs: 'missus', st: 'saint' };
/** A phrase with many numbers would have thousands of forms. */
const MAX_FORMS = 24;

/** Lower case, without punctuation, digits as they are: for comparing what was written with what was heard. */
export function plainWords(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[’‘`]/g, "'")
    .replace(/[&+%@]/g, (sign) => SIGNS[sign] ?? ' ')
    .toLowerCase();
  return plain.match(/[\p{L}\p{N}]+(?:'\p{L}+)*/gu) ?? [];
}

/** Each form in plain words, the likeliest first; none for a phrase without a word. */
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
  const ways = [cardinal(part), pairs(part), digitByDigit(part, 'zero'), digitByDigit(part, 'oh')];
  const seen = new Set<string>();
  return ways.filter((way): way is string[] => {
    const key = way?.join(' ');
    if (key === undefined || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function digitByDigit(digits: string, zero: string): string[] {
  return [...digits].map((digit) => (digit === '0' ? zero : DIGITS[Number(digit)]!));
}

function cardinal(digits: string): string[] | undefined {
  if (digits.length > 4 || (digits.length > 1 && digits.startsWith('0'))) return undefined;
  const value = Number(digits);
  if (value < 100) return belowHundred(value);
  const [big, unit] = value < 1000 ? [100, 'hundred'] : [1000, 'thousand'];
  const rest = value % big;
  const over = rest === 0 ? [] : rest < 100 ? belowHundred(rest) : cardinal(String(rest))!;
  return [DIGITS[Math.floor(value / big)]!, unit, ...over];
}

/** 370: three seventy; 1984: nineteen eighty four. */
function pairs(digits: string): string[] | undefined {
  if (digits.length < 3 || digits.length > 4 || digits.startsWith('0')) return undefined;
  const split = digits.length - 2;
  const [first, second] = [Number(digits.slice(0, split)), Number(digits.slice(split))];
  if (second === 0) return undefined;
  return [...belowHundred(first), ...(second < 10 ? ['oh', DIGITS[second]!] : belowHundred(second))];
}

function belowHundred(value: number): string[] {
  if (value < 10) return [DIGITS[value]!];
  if (value < 20) return [TEENS[value - 10]!];
  return [TENS[Math.floor(value / 10)]!, ...(value % 10 === 0 ? [] : [DIGITS[value % 10]!])];
}
