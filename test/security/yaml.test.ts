/** Small texts designed to keep their reader busy. */
import { describe, expect, it } from 'vitest';
import { loadDocument } from '../../src/base/schema/load.ts';
import { cpuTimeMs } from '../cpu-time.ts';

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');

describe('aliases of YAML', () => {
  it.each<[string, unknown]>([
    ['a: &x 1\nb: *x', { a: 1, b: 1 }],
    ['a: &x 1\nb: &x 2\nc: *x', { a: 1, b: 2, c: 2 }],
    ['a: &x 1\nb: *x\nc: &x 2\nd: *x', { a: 1, b: 1, c: 2, d: 2 }],
    [
      'a: &x 1\nb: &y { c: &x 2, d: *x }\ne: &x 3\nf: *y\ng: *x',
      { a: 1, b: { c: 2, d: 2 }, e: 3, f: { c: 2, d: 2 }, g: 3 },
    ],
    ['&k a: 1\nb: *k', { a: 1, b: 'a' }],
    ['a: &s [1, &t [2]]\nb: [*s, *t]', { a: [1, [2]], b: [[1, [2]], [2]] }],
  ])('refers to the last anchor before it: %j', (text, value) => {
    expect(loadDocument(text, 'f').document?.value).toEqual(value);
  });

  it('is refused for later, missing or own anchors', () => {
    expect(loadDocument('a: *x\nb: &x 1', 'f').diagnostics).toMatchObject([{ code: 'yaml-alias' }]);
    expect(loadDocument('a: *x', 'f').diagnostics).toMatchObject([{ code: 'yaml-alias' }]);
    expect(loadDocument('a: &x [*x]', 'f').diagnostics).toMatchObject([{ code: 'too-big' }]);
  });
});

describe('a YAML text crafted to keep its parser busy', () => {
  it.each<[string, string]>([
    ['many aliases', `a: &a x\nb:\n${lines(20_000, () => '  - *a')}`],
    [
      'aliases of aliases',
      lines(
        30,
        (n) =>
          `a${n}: &a${n} [${
            n
              ? Array(9)
                  .fill(`*a${n - 1}`)
                  .join(',')
              : '1'
          }]`,
      ),
    ],
    ['many anchors', lines(20_000, (n) => `k${n}: &k${n} 1`)],
    ['questions in questions', lines(1200, (n) => `${' '.repeat(n)}?`)],
    ['comments', '#\n'.repeat(60_000)],
    ['blank lines', `a: |\n${'\n'.repeat(200_000)} x`],
  ])('is parsed or refused within bounds: %s', (_, text) => {
    const beganMs = cpuTimeMs();
    loadDocument(text, 'f');
    expect(cpuTimeMs() - beganMs).toBeLessThan(30_000);
  });
});
