/** Words and names of a text that is edited: read by slices, equal to those of the whole text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWhole } from '../../../src/language/flow/text/flow-reader.ts';
import { namesIn, rangeOfStep, stepAt } from '../../../src/language/flow/text/names.ts';
import { NamesSource } from '../../../src/language/flow/text/names-source.ts';
import { YamlScanner } from '../../../src/language/flow/text/scan-yaml.ts';
import { TextScanner } from '../../../src/language/flow/text/scanned-text.ts';
import { rounds } from '../../rounds.ts';
import { companyFlow } from '../graph/company-flow.ts';
import { language, shippedFiles, textOf } from '../graph/flows.ts';

const texts = shippedFiles.map(textOf);
const wordsOf = (text: string) => new YamlScanner(text).words;

describe('TextScanner', () => {
  it.each(shippedFiles)('finds the words of the whole text: %s', (file) => {
    const text = textOf(file);
    const scanner = new TextScanner();
    for (const made of [text, `# A remark.\n${text}`, text.replace('steps:', 'vars: { a: 1 }\nsteps: # all\n')]) {
      expect(scanner.read(made).words).toEqual(wordsOf(made));
    }
  });

  it('finds the words of the whole text after any change that leaves no error', () => {
    const change = fc.record({
      text: fc.constantFrom(...texts),
      from: fc.nat(4000),
      length: fc.oneof(fc.constant(0), fc.nat(12), fc.nat(400)),
      insert: fc.constantFrom(
        '',
        '\n',
        ' ',
        'x',
        ', ',
        '# ',
        'a: b\n',
        '>-\n',
        '\n  more: { hangup: normal }\n',
        '"x"',
      ),
    });
    let sound = 0;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const scanner = new TextScanner();
        for (const { text, from, length, insert } of changes) {
          const at = from % text.length;
          const made = text.slice(0, at) + insert + text.slice(at + length);
          const { words } = scanner.read(made);
          if (!readWhole(made).isSound) continue;
          sound += 1;
          expect(words).toEqual(wordsOf(made));
        }
      }),
      { numRuns: rounds(80) },
    );
    expect(sound).toBeGreaterThan(0);
  });

  it('scans only the slice with new characters, wherever it moves', () => {
    const scanner = new TextScanner();
    const text = companyFlow(300);
    scanner.read(text);
    scanner.read(text.replace('We are closed now.', 'We have closed.'));
    expect(scanner.scannedSlices).toBe(1);
    scanner.read(`# A remark.\n${text}`);
    expect(scanner.scannedSlices).toBe(1);
  });

  it('keeps a quote without end in its step', () => {
    const text = companyFlow(10).replace('"We are closed now.', '"We are "closed now.');
    const { words } = new TextScanner().read(text);
    expect(words.some(({ kind, path }) => kind === 'key' && path.join('.') === 'steps.bye')).toBe(true);
  });

  it('gives the words near a range without placing the others', () => {
    const text = companyFlow(130);
    const from = text.indexOf('  closed:');
    const near = new TextScanner().read(text).wordsNear(from, from + 40);
    expect(near.map(({ path }) => path[1])).toEqual(near.map(() => 'closed'));
    expect(near[0]).toEqual(wordsOf(text).find((word) => word.from === near[0]!.from));
  });
});

describe('NamesSource', () => {
  it.each(shippedFiles)('finds the names of the whole text: %s', (file) => {
    const text = textOf(file);
    const [scanner, source] = [new TextScanner(), new NamesSource(language)];
    for (const made of [text, `# A remark.\n${text}`]) {
      const { words, heads, defined, used } = source.read(scanner.read(made));
      expect({ words, heads, defined, used }).toEqual(namesIn(made, language));
    }
  });

  it('tells which step contains a position', () => {
    const text = companyFlow(130);
    const names = new NamesSource(language).read(new TextScanner().read(text));
    for (const step of ['hours', 'main_1', 'billing_menu', 'bye']) {
      const { from, to } = rangeOfStep(names, step)!;
      expect([stepAt(names, from), stepAt(names, to - 1)]).toEqual([step, step]);
    }
    expect(stepAt(names, text.indexOf('schedules:'))).toBeUndefined();
  });
});
