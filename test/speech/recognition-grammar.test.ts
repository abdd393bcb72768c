import { describe, expect, it } from 'vitest';
import type { ListenOptions } from '../../src/base/core/leg.ts';
import { grammarOf, type Interpretation } from '../../src/media/speech/recognition/grammar.ts';
import { spokenForms } from '../../src/media/speech/recognition/spoken-forms.ts';
import type { RecognizedUtterance } from '../../src/media/speech/recognition/transcriber.ts';

type Wanted = Pick<ListenOptions, 'hints' | 'grammar'>;

/** `?` is a sound that matches no word. */
function heard(text: string, confidence = 1): RecognizedUtterance {
  const words = text.split(' ').filter((word) => word !== '');
  return { words: words.map((word) => ({ word: word === '?' ? undefined : word, confidence })) };
}

const understand = (wanted: Partial<Wanted>, text: string, confidence = 1): Interpretation =>
  grammarOf({ hints: [], ...wanted }).interpret(heard(text, confidence));

describe('spoken forms of a phrase', () => {
  it.each([
    ['Customer support!', ['customer support']],
    ['Café & bar', ['cafe and bar']],
    ['Dr. O’Neill', ["doctor o'neill"]],
    ['', []],
    ['?!', []],
  ])('expands the phrase %s', (phrase, forms) => {
    expect(spokenForms(phrase).map((form) => form.join(' '))).toEqual(forms);
  });

  it.each([
    [
      'Flight 370',
      ['flight three hundred seventy', 'flight three seventy', 'flight three seven zero', 'flight three seven oh'],
    ],
    ['1984', ['one thousand nine hundred eighty four', 'nineteen eighty four', 'one nine eight four']],
    ['7', ['seven']],
    ['42', ['forty two', 'four two']],
    ['007', ['zero zero seven', 'oh oh seven']],
    ['B2B', ['b two b']],
  ])('includes numbers as people say them: %s', (phrase, forms) => {
    expect(spokenForms(phrase).map((form) => form.join(' '))).toEqual(expect.arrayContaining(forms));
  });

  it('limits their number for any text of an author', () => {
    expect(spokenForms(Array.from({ length: 40 }, () => '370').join(' ')).length).toBeLessThanOrEqual(24);
    expect(spokenForms('9'.repeat(500))[0]).toHaveLength(500);
  });
});

describe('phrases of the author', () => {
  const hints = ['Sales', 'Customer Support', 'Flight 370', 'checkout', 'Sales Department'];

  it.each([
    ['sales', 'Sales'],
    ['customer support', 'Customer Support'],
    ['flight three seventy', 'Flight 370'],
    ['flight 370', 'Flight 370'],
    ['Flight 370.', 'Flight 370'],
    ['check out', 'checkout'],
    ['sales department', 'Sales Department'],
    ["i'd like sales please", 'Sales'],
    ['? customer support ?', 'Customer Support'],
    ['sales sales', 'Sales'],
  ])('recognises the phrase in "%s"', (said, meant) => {
    expect(understand({ hints }, said)).toMatchObject({ text: meant });
    expect(understand({ hints }, said).confidence).toBeGreaterThan(0.7);
  });

  it.each(['?', '', '? ?', 'customer ? support', 'sales customer support', 'weather', 'checkout flight 370'])(
    'finds nothing in: %s',
    (said) => {
      expect(understand({ hints }, said).confidence).toBe(0);
    },
  );

  it('lowers the confidence for uncertain words, and for other sounds around them', () => {
    expect(understand({ hints }, 'sales', 0.6).confidence).toBeCloseTo(0.6);
    expect(understand({ hints }, 'sales please').confidence).toBe(1);
    expect(understand({ hints }, '? sales').confidence).toBeLessThan(0.9);
    expect(understand({ hints }, '? ? ? sales').confidence).toBeLessThan(understand({ hints }, '? sales').confidence);
    expect(understand({ hints }, '? ? ? ? ? ? sales').confidence).toBeGreaterThan(0.5);
  });

  it('are the phrases that an engine listens for', () => {
    const { phrases, fillerPhrases } = grammarOf({ hints: ['Sales!', 'sales', 'Gate 7'] });
    expect(phrases).toEqual(['sales', 'gate seven']);
    expect(fillerPhrases).toContain('please');
  });
});

describe('digits grammar', () => {
  it.each([
    ['one two three', '123'],
    ['oh seven nine', '079'],
    ['zero zero', '00'],
    ['double five oh triple seven', '550777'],
    ['um my number is four two please', '42'],
    ['? nine nine four', '994'],
    ['1234', '1234'],
    ['12 34', '1234'],
    ['4-5-6.', '456'],
    ['one two to for', '1224'],
  ])('reads digits in "%s"', (said, digits) => {
    expect(understand({ grammar: 'digits' }, said)).toMatchObject({ text: digits });
    expect(understand({ grammar: 'digits' }, said).confidence).toBeGreaterThanOrEqual(0.7);
  });

  it.each([
    '',
    '?',
    'one ? three',
    'one hello three',
    'double',
    'one double',
    'double triple two',
    'hello there',
    'please',
  ])('finds no digits in: %s', (said) => {
    expect(understand({ grammar: 'digits' }, said).confidence).toBe(0);
  });

  it('allows each digit after any other', () => {
    const sequence = grammarOf({ hints: [], grammar: 'digits' }).phrases!.at(-1)!.split(' ');
    const pairs = new Set(sequence.slice(1).map((digit, index) => `${sequence[index]} ${digit}`));
    expect(pairs.size).toBe(11 * 11);
    expect(sequence).toHaveLength(11 * 11 + 1);
  });

  it('are recognised in addition to phrases', () => {
    const wanted: Wanted = { hints: ['operator'], grammar: 'digits' };
    expect(understand(wanted, 'operator')).toMatchObject({ text: 'operator' });
    expect(understand(wanted, 'four two')).toMatchObject({ text: '42' });
    expect(grammarOf(wanted).phrases).toEqual(expect.arrayContaining(['operator', 'double oh', 'oh']));
  });
});

describe('yes and no grammar', () => {
  it.each([
    ...['yes', 'Yeah.', 'yep', 'sure', 'of course', 'yes please', 'that is right', 'um yes', 'yes yes'].map((said) => [
      said,
      'yes',
    ]),
    ...['no', 'Nope!', 'no thanks', 'no thank you', 'not really', 'of course not', 'absolutely not', 'no no'].map(
      (said) => [said, 'no'],
    ),
  ] as [string, string][])('understands "%s" as %s', (said, meant) => {
    expect(understand({ grammar: 'yes_no' }, said)).toMatchObject({ text: meant });
  });

  it.each(['yes no', "i don't know", 'maybe', '?', 'hello', "no that's right"])('is undecided for: %s', (said) => {
    expect(understand({ grammar: 'yes_no' }, said).confidence).toBe(0);
  });
});

describe('free speech grammar', () => {
  it('returns the words with their confidence', () => {
    expect(understand({}, 'where is my car', 0.8)).toEqual({ text: 'where is my car', confidence: 0.8 });
    expect(understand({}, 'Well, hello!')).toMatchObject({ text: 'Well, hello!' });
    expect(understand({}, '')).toEqual({ text: '', confidence: 0 });
    expect(grammarOf({ hints: [] }).phrases).toBeUndefined();
  });
});
