/**
 * Rewrites English text for flite. It accepts only ASCII, knows amounts, times and years, and reads a sequence of
 * digits as a quantity; in phone prompts it is usually a number to note.
 */

const LETTERS: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': ', ',
  '—': ', ',
  '…': '. ',
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  đ: 'd',
  '×': ' times ',
  '°': ' degrees ',
  '€': ' euros ',
  '£': ' pounds ',
};
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** ASCII text. Empty if no part of the text can be spoken. */
export function spokenText(written: string): string {
  const ascii = written
    .replace(/([€£])\s?(\d[\d,.]*\d|\d)/g, '$2$1')
    .replace(/[‘’“”–—…ßæÆœøØłđ×°€£]/g, (letter) => LETTERS[letter]!)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\x20-\x7e]+/g, ' ');
  const spoken = [addresses, dates, versions, telephoneNumbers, codes, longNumbers, symbols]
    .reduce((text, rewrite) => rewrite(text), ascii)
    .replace(/\s+/g, ' ')
    .trim();
  return /[A-Za-z0-9]/.test(spoken) ? spoken : '';
}

/** `mail@example.com`, `https://example.com/help` → words. */
function addresses(text: string): string {
  return text.replace(/\S+/g, (token) => {
    const address = token.replace(/[.,;:!?)]+$/, '');
    if (!/^(https?:\/\/|www\.)|\w@\w/i.test(address)) return token;
    const said = address
      .replace(/^https?:\/\//i, '')
      .replaceAll('@', ' at ')
      .replaceAll('.', ' dot ')
      .replaceAll('/', ' slash ')
      .replaceAll('-', ' dash ')
      .replaceAll('_', ' underscore ');
    return said + token.slice(address.length);
  });
}

/** `2026-03-04` and `3/4/2026` → March 4, 2026 */
function dates(text: string): string {
  const say = (whole: string, year: string, month: string, day: string): string => {
    const name = MONTHS[Number(month) - 1];
    return name !== undefined && Number(day) >= 1 && Number(day) <= 31 ? `${name} ${Number(day)}, ${year}` : whole;
  };
  return text
    .replace(/(?<![\w-])(\d{4})-(\d\d)-(\d\d)(?![\w-])/g, say)
    .replace(/(?<![\w/])(\d\d?)\/(\d\d?)\/(\d{4})(?![\w/])/g, (whole, month, day, year) =>
      say(whole, year, month, day),
    );
}

/** `1.2.3` is not a decimal number. */
function versions(text: string): string {
  return text.replace(/(?<![\w.])\d+(?:\.\d+){2,}(?![\w.]*\d)/g, (version) => version.replaceAll('.', ' point '));
}

/** Numbers of seven digits or more, grouped or not. Pauses follow the grouping of the text. */
function telephoneNumbers(text: string): string {
  return text.replace(/(?<![\w.,$])\+?\(?\d(?:[ ()-]{0,2}\d){6,}(?!\w|[.,]\d)/g, (number) => {
    if (/^(?:19|20)\d\d ?- ?(?:19|20)\d\d$/.test(number)) return number;
    const groups = number.match(/\d+/g)!;
    const between = groups.every((group) => group.length === 1) ? ' ' : ', ';
    return (number.startsWith('+') ? 'plus ' : '') + groups.map(digitByDigit).join(between);
  });
}

/** `code 4711`, `extension 203`: digits after such a word are not a quantity. */
function codes(text: string): string {
  return text.replace(
    /\b((?:code|pin|extension|ext|account|id|reference|ticket|order)\.?(?: number| no\.?)?(?: is)?[:#]? ?)(\d{3,4})\b(?![.,:]\d)/gi,
    (_, name: string, digits: string) => name + digitByDigit(digits),
  );
}

/** Five digits or more without a separator, unless round: `10403` is a code, `15000` an amount. */
function longNumbers(text: string): string {
  return text.replace(/(?<![\w.,$])\d{5,}(?!\w|[.,]\d)/g, (digits) =>
    /^[1-9]\d*00$/.test(digits) && digits.length < 10 ? digits : digitByDigit(digits),
  );
}

function symbols(text: string): string {
  return text
    .replaceAll('&', ' and ')
    .replace(/#(?=\d)/g, ' number ')
    .replaceAll('#', ' pound ')
    .replaceAll('*', ' star ')
    .replaceAll('+', ' plus ')
    .replaceAll('=', ' equals ')
    .replaceAll('@', ' at ')
    .replace(/[<>{}[\]\\|~^`_/]/g, ' ');
}

const digitByDigit = (digits: string): string => [...digits].join(' ');
