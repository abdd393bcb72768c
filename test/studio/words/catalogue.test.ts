/** The catalogue of the pages' texts: each language has each text, with the same values. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@formatjs/icu-messageformat-parser';
import { describe, expect, it } from 'vitest';
import { englishTexts, PAGE_FOLDERS, pageFilesOf, TEXTS_FOLDER, textCallsOf } from '../../../scripts/page-texts.ts';
import { LANGUAGES } from '../../../src/pages/shared/web/words/languages.ts';
import { namesIn, untranslatedIn } from './page-sources.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const files = PAGE_FOLDERS.flatMap(pageFilesOf);
const calls = files.flatMap((file) => textCallsOf(file, read(file)).map((call) => ({ file, ...call })));
const english = [...new Set(Object.values(englishTexts()).flat())].sort();
/** Texts that the code shows with values: only those are messages of the ICU format. */
const messages = new Set(calls.filter(({ values }) => values !== undefined).map(({ text }) => text));

describe.each(LANGUAGES.filter(({ code }) => code !== 'en'))('catalogue in $name', ({ code }) => {
  const texts = JSON.parse(read(`${TEXTS_FOLDER}/${code}.json`)) as Record<string, string>;

  it('contains each text of the pages', () => {
    expect(english.filter((text) => !texts[text]?.trim())).toEqual([]);
  });

  it('contains no text that the pages lack', () => {
    expect(Object.keys(texts).filter((text) => !english.includes(text))).toEqual([]);
  });

  it('keeps the values and tags of each English text', () => {
    const differ = [...messages].filter(
      (text) => texts[text] !== undefined && namesIn(texts[text]!).join() !== namesIn(text).join(),
    );
    expect(differ.map((text) => `${text} → ${texts[text]}`)).toEqual([]);
  });

  it('has the plural forms of the language', () => {
    const wanted = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
    // Large round numbers have a form of their own in French, which these texts do not need.
    const needed = wanted.filter((category) => !(code === 'fr' && category === 'many'));
    const lacking = [...messages].flatMap((text) =>
      parse(texts[text] ?? '').flatMap((part) =>
        'pluralType' in part && needed.some((category) => !Object.hasOwn(part.options, category)) ? [text] : [],
      ),
    );
    expect(lacking).toEqual([]);
  });
});

describe('the code of the pages', () => {
  it('gives each text its values', () => {
    const wrong = calls.filter(
      ({ text, values }) => values !== undefined && [...values].sort().join() !== namesIn(text).join(),
    );
    expect(wrong.map(({ file, text, values }) => `${file}: ${text} gets ${values}`)).toEqual([]);
  });

  it('shows no text outside the catalogue', () => {
    expect(files.flatMap((file) => untranslatedIn(file, read(file)))).toEqual([]);
  });

  it('is found to show a text outside the catalogue', () => {
    const source = `const a = <p title="Add" class="big">{isOn ? 'On' : t('Off')} Words {t('Fine')}<Field label={\`\${n} left\`} /></p>;`;
    expect(untranslatedIn('page.tsx', source)).toEqual([
      ...['page.tsx:1: Add', 'page.tsx:1: On', 'page.tsx:1: Words', 'page.tsx:1: left'],
    ]);
  });
});
