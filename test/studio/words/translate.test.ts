/** Texts of the pages with values, plural forms and elements, in the reader's language. */
import { afterEach, describe, expect, it } from 'vitest';
import { languageFor, localeFor } from '../../../src/pages/shared/web/words/languages.ts';
import { listText, numberText, setLanguage, t, tNodes } from '../../../src/pages/shared/web/words/translate.ts';

const STEPS = '{count, plural, one {# step} other {# steps}} selected';

afterEach(() => setLanguage({}));

describe('a text', () => {
  it('is shown in English as it is written, braces and apostrophes included', () => {
    expect(t("Don't use {{name}} or <b>")).toBe("Don't use {{name}} or <b>");
  });

  it('is replaced by its translation, and remains English if it has none', () => {
    setLanguage({ 'Add step': 'Schritt hinzufügen' }, 'de');
    expect([t('Add step'), t('Undo'), t('constructor')]).toEqual(['Schritt hinzufügen', 'Undo', 'constructor']);
  });

  it('gets its values by name, so that a translation can change their order', () => {
    expect(t('{step} added after {other}', { step: 'menu', other: 'welcome' })).toBe('menu added after welcome');
    setLanguage({ '{step} added after {other}': 'Nach {other} wurde {step} eingefügt' }, 'de');
    expect(t('{step} added after {other}', { step: 'menu', other: 'welcome' })).toBe(
      'Nach welcome wurde menu eingefügt',
    );
  });

  it('is shown in English without its note for translators', () => {
    expect([t('Call ## verb'), t('{count} left ## seconds', { count: 2 })]).toEqual(['Call', '2 left']);
    setLanguage({ 'Call ## verb': 'Anrufen' }, 'de');
    expect(t('Call ## verb')).toBe('Anrufen');
  });

  it('throws if a value is missing', () => {
    expect(() => t('{step} added', {})).toThrow(/step/);
  });

  it('has the plural forms of English', () => {
    expect([0, 1, 2, 1200].map((count) => t(STEPS, { count }))).toEqual([
      '0 steps selected',
      '1 step selected',
      '2 steps selected',
      '1,200 steps selected',
    ]);
  });

  it('has the six plural forms of Arabic', () => {
    const forms = '{count, plural, zero {zero} one {one} two {two} few {few #} many {many #} other {other #}}';
    setLanguage({ [STEPS]: forms }, 'ar-u-nu-latn');
    expect([0, 1, 2, 3, 11, 100].map((count) => t(STEPS, { count }))).toEqual([
      ...['zero', 'one', 'two', 'few 3', 'many 11', 'other 100'],
    ]);
  });
});

describe('a sentence with elements', () => {
  const text = 'Read <link>the guide</link>, {name}.';
  const nodes = { link: (part: unknown) => ({ a: part }) as never, name: 'Ada' };

  it('draws the content of a tag by the function of its name', () => {
    expect(tNodes(text, nodes)).toEqual(['Read ', { a: ['the guide'] }, ', Ada.']);
  });

  it('keeps the elements in the order of the translation', () => {
    setLanguage({ [text]: '{name}, lesen Sie <link>die Anleitung</link>.' }, 'de');
    expect(tNodes(text, nodes)).toEqual(['Ada, lesen Sie ', { a: ['die Anleitung'] }, '.']);
  });
});

describe('a number or a list', () => {
  it('follows the rules of the language', () => {
    setLanguage({}, 'de');
    expect([numberText(1234.5), listText(['a', 'b', 'c']), listText(['a', 'b'], 'disjunction')]).toEqual([
      ...['1.234,5', 'a, b und c', 'a oder b'],
    ]);
  });
});

describe('the language of a page', () => {
  it.each([
    ['de', ['de-AT', 'en']],
    ['fr', ['it', 'fr-CA', 'de']],
    ['ar', ['ar']],
    ['en', ['en-GB', 'de']],
    ['en', ['it', 'ja']],
    ['en', []],
  ])('is %s for a browser with the languages %j', (code, tags) => {
    expect(languageFor(tags).code).toBe(code);
  });

  it('has the numbers and dates of the variety that the browser names', () => {
    expect(localeFor(languageFor(['de-AT']), ['fr', 'de-AT'])).toBe('de-AT');
    expect(localeFor(languageFor(['de']), ['en'])).toBe('de');
  });

  it('has the digits of telephone keys in Arabic', () => {
    const locale = localeFor(languageFor(['ar-EG']), ['ar-EG']);
    expect(new Intl.NumberFormat(locale).format(12)).toBe('12');
  });
});
