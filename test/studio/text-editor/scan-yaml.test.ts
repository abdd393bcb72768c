/** YAML words with their paths: equal to the parser's in all shipped flows, and useful in incomplete texts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Pair, parseDocument, visit } from 'yaml';
import { YamlScanner } from '../../../src/language/flow/text/scan-yaml.ts';
import { rounds } from '../../rounds.ts';
import { shippedFiles, textOf } from '../graph/flows.ts';

/** Compared by the start of each word, on which both agree. */
function wordsByParser(text: string): string[] {
  const found: string[] = [];
  visit(parseDocument(text, { version: '1.2', schema: 'core' }), {
    Scalar(key, node, ancestors) {
      const path = pathOf(ancestors, node);
      found.push(`${key === 'key' ? 'key' : 'value'} ${path.join('/')} @${node.range![0]}`);
    },
  });
  return found;
}

function pathOf(ancestors: readonly unknown[], node: unknown): string[] {
  const chain = [...ancestors, node];
  const path: string[] = [];
  for (const [index, each] of chain.entries()) {
    const inner = chain[index + 1];
    if (isPair(each)) path.push(String((each.key as { value: unknown }).value));
    else if (isSequence(each) && inner !== undefined) path.push(String(each.items.indexOf(inner)));
  }
  return path;
}

const isPair = (node: unknown): node is Pair =>
  typeof node === 'object' && node !== null && 'key' in node && !('items' in node);
const isSequence = (node: unknown): node is { items: unknown[] } =>
  typeof node === 'object' && node !== null && 'items' in node && !('get' in node && isMapNode(node));
const isMapNode = (node: { items?: unknown }): boolean =>
  Array.isArray(node.items) && node.items.every(isPair) && node.items.length > 0;

const wordsByScanner = (text: string): string[] =>
  new YamlScanner(text).words.map(({ kind, path, from }) => `${kind} ${path.join('/')} @${from}`);

test.each(shippedFiles)('finds the same words as the parser in %s', (file) => {
  const text = textOf(file);
  const parsed = wordsByParser(text);
  expect(parsed.length).toBeGreaterThan(5);
  const scanned = new Set(wordsByScanner(text));
  expect(parsed.filter((word) => !scanned.has(word) && !isEmptyValue(word, text))).toEqual([]);
});

/** For the parser an empty `key:` has a scalar, and so has a key in brackets without a colon. */
const isEmptyValue = (word: string, text: string): boolean => {
  const rest = text.slice(Number(word.split('@')[1]));
  return /^(?:[\s,}\]]|$)/.test(rest) || (word.startsWith('key') && /^[^:\n]*[,}]/.test(rest));
};

describe('end of an incomplete text', () => {
  test.each([
    ['flow: a\nsteps:\n  one:\n    pl', 'key', 'steps/one', 'pl'],
    ['flow: a\nsteps:\n  one:\n    ', 'key', 'steps/one', ''],
    ['flow: a\nsteps:\n  one: { play: x, ne', 'key', 'steps/one', 'ne'],
    ['flow: a\nsteps:\n  one: { play: x, next: ', 'value', 'steps/one/next', ''],
    ['flow: a\nsteps:\n  one: { play: x, next: tw', 'value', 'steps/one/next', 'tw'],
    ['flow: a\nsteps:\n  one:\n    exits: { ok: a, failed: ', 'value', 'steps/one/exits/failed', ''],
    ['flow: a\nsteps:\n  one:\n    exits:\n      ok: b', 'value', 'steps/one/exits/ok', 'b'],
    ['flow: a\nsteps:\n  one:\n    play: [a, ', 'value', 'steps/one/play/1', ''],
    ['flow: a\nsteps:\n  one:\n    branch:\n      - { when: x, next: ', 'value', 'steps/one/branch/0/next', ''],
    ['flow: a\nsteps:\n  one:\n    branch:\n      - when: x\n        ne', 'key', 'steps/one/branch/0', 'ne'],
    ['flow: a\nsteps:\n  one:\n    branch:\n    - when: x\n    - el', 'key', 'steps/one/branch/1', 'el'],
    ['st', 'key', '', 'st'],
    ['start: "o', 'value', 'start', '"o'],
    ['flow: a # remark', 'remark', 'flow', '# remark'],
  ])('finds the position at the end of %j', (text, place, path, word) => {
    const { end } = new YamlScanner(text);
    expect([end.place, end.path.join('/'), text.slice(end.from)]).toEqual([place, path, word]);
  });
});

test('ends unclosed brackets at the next step', () => {
  const words = wordsByScanner('steps:\n  one: { play: x, next: \n  two: { play: y }\n');
  expect(words).toContain('key steps/two/play @41');
});

test('reads any text, with correct positions of its words', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab:-{}[],"\'#|>&! \n\t\r$'), maxLength: 80 }), (text) => {
      for (const { from, to } of new YamlScanner(text).words) {
        expect(from).toBeLessThanOrEqual(to);
        expect(to).toBeLessThanOrEqual(text.length);
      }
      expect(new YamlScanner(text).end.from).toBeLessThanOrEqual(text.length);
    }),
    { numRuns: rounds(800) },
  );
});
