/** Checks that every row of the interface has a proof and that every proof is an existing test. */
import { describe, expect, it } from 'vitest';
import { partsOf } from './page.ts';
import { SECTIONS } from './rows.ts';
import { titlesIn } from './titles.ts';

const rows = SECTIONS.flatMap((section) => section.rows);

describe('conformance', () => {
  it.each(rows.map((row) => [row.id, row] as const))('%s is proved by existing tests', (_id, { by }) => {
    expect(by.length).toBeGreaterThan(0);
    const missing = by.filter((proof) => {
      const { file, title } = partsOf(proof);
      return !titlesIn(file).has(title);
    });
    expect(missing).toEqual([]);
  });

  it('names each row once', () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('sees tests, not groups, and none that is left out', () => {
    const titles = titlesIn('api/errors');
    expect(titles).toContain('405/6112 play: refuses media while the call is bridged');
    expect(titles).toContain('409/409 %s: requires a bridged call');
    expect(titles).not.toContain('errors of the voice API');
  });
});
