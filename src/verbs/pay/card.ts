/** Validation of payment cards: numbers (ISO/IEC 7812, Luhn check digit) and expiry dates. */

export type CardType =
  | 'visa'
  | 'mastercard'
  | 'amex'
  | 'discover'
  | 'diners'
  | 'jcb'
  | 'unionpay'
  | 'maestro'
  | 'other';

interface Kind {
  type: CardType;
  /** Matches the first digits. */
  begins: RegExp;
  lengths: readonly number[];
  /** Length at which a number is complete without a terminator; longer numbers of this type are rare. */
  usual?: number;
  codeLength: number;
}

const KINDS: readonly Kind[] = [
  { type: 'amex', begins: /^3[47]/, lengths: [15], usual: 15, codeLength: 4 },
  { type: 'visa', begins: /^4/, lengths: [13, 16, 19], usual: 16, codeLength: 3 },
  {
    type: 'mastercard',
    begins: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    lengths: [16],
    usual: 16,
    codeLength: 3,
  },
  { type: 'diners', begins: /^(30[0-5]|309|36|38|39)/, lengths: [14, 16, 19], usual: 14, codeLength: 3 },
  { type: 'jcb', begins: /^35(2[89]|[3-8])/, lengths: [16, 17, 18, 19], usual: 16, codeLength: 3 },
  { type: 'discover', begins: /^(6011|64[4-9]|65)/, lengths: [16, 17, 18, 19], usual: 16, codeLength: 3 },
  { type: 'unionpay', begins: /^62/, lengths: [16, 17, 18, 19], codeLength: 3 },
  { type: 'maestro', begins: /^(50|5[6-8]|6)/, lengths: [12, 13, 14, 15, 16, 17, 18, 19], codeLength: 3 },
];
const OTHER: Kind = { type: 'other', begins: /^/, lengths: [12, 13, 14, 15, 16, 17, 18, 19], codeLength: 3 };
export const MAX_NUMBER = 19;

const kindOf = (digits: string): Kind => KINDS.find(({ begins }) => begins.test(digits)) ?? OTHER;

export const cardTypeOf = (digits: string): CardType => kindOf(digits).type;
export const codeLengthOf = (digits: string): number => kindOf(digits).codeLength;

/** `enough`: the digits are a card number, but a longer number may follow. */
export function numberStatus(digits: string): 'more' | 'enough' | 'complete' {
  const { lengths, usual, type } = kindOf(digits);
  if (!lengths.includes(digits.length) || !fitsLuhn(digits)) return 'more';
  return digits.length === (usual ?? MAX_NUMBER) || (type === 'amex' && digits.length === usual)
    ? 'complete'
    : 'enough';
}

function fitsLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

export interface Expiry {
  month: number;
  year: number;
}

const CENTURY = 2000;
/** A card is valid until its month has ended in all time zones, the latest of which is UTC−12. */
const LATEST_ZONE_MS = 12 * 3_600_000;

/** Parses `MMYY`. Undefined if it is not a date or if the month has ended. */
export function readExpiry(digits: string, nowMs: number): Expiry | undefined {
  const [, month, year] = /^(\d\d)(\d\d)$/.exec(digits) ?? [];
  const expiry = { month: Number(month), year: CENTURY + Number(year) };
  const now = new Date(nowMs - LATEST_ZONE_MS);
  const isOver = expiry.year * 12 + expiry.month < now.getUTCFullYear() * 12 + now.getUTCMonth() + 1;
  return month === undefined || expiry.month < 1 || expiry.month > 12 || isOver ? undefined : expiry;
}
