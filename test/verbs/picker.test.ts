/** The keyword `picker` of each verb: what the studio's list of steps shows. */
import { describe, expect, it } from 'vitest';
import { languageOf } from '../../src/language/flow/language.ts';
import { keyAt } from '../../src/language/flow/text/language.ts';
import { verbs } from '../../src/verbs/steps.ts';

const language = languageOf(verbs).verbs;
const entries = Object.entries(language);

describe('the list of steps', () => {
  it('offers every verb, by a name, a sentence and words of its own', () => {
    expect(entries.filter(([, { picker }]) => picker === undefined).map(([verb]) => verb)).toEqual([]);
    for (const part of ['name', 'sentence'] as const) {
      const said = entries.map(([, { picker }]) => picker![part]);
      expect(said.filter((words, index) => said.indexOf(words) !== index)).toEqual([]);
    }
    expect(language['pay']!.picker).toMatchObject({ name: 'Take a payment' });
    expect(language['bridge']!.picker!.words).toEqual(expect.arrayContaining(['bridge', 'dial', 'forward']));
  });

  it('has no two verbs in one place of a group', () => {
    const places = entries.map(([, { picker }]) => `${picker!.group} ${picker!.place}`);
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  });

  it.each(entries)('asks for arguments of %s that its schema has', (_verb, { picker, schema, outcomes }) => {
    for (const { at } of picker!.asks ?? []) {
      if (at === '' || at === '/*') continue;
      const path = at.split('/').slice(1);
      expect(
        keyAt(
          schema,
          path.map((key) => (/^\d+$/.test(key) ? Number(key) : key)),
        ),
        at,
      ).toBeDefined();
    }
    for (const outcome of picker!.apart ?? []) expect(outcomes).toContain(outcome);
  });
});
