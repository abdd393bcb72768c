/** Facts of verbs are in their schemas: few sources name a verb, and each has a reason in `named-outside.json`. */
import { describe, expect, it } from 'vitest';
import NAMED from './named-outside.json' with { type: 'json' };
import { namedIn, namedVerbs } from './named-verbs.ts';

/** May only fall. */
const MAX_FILES = 30;
const MAX_NAMES = 52;

const listed = Object.entries(NAMED as Record<string, Record<string, string>>).flatMap(([file, reasons]) =>
  Object.keys(reasons).map((verb) => `${file}: ${verb}`),
);

describe('every source outside of the verbs', () => {
  const found = namedVerbs();

  it('names a verb only if the list has the file and the verb', () => {
    const unlisted = found.filter(({ file, verb }) => !listed.includes(`${file}: ${verb}`));
    expect(unlisted.map(({ file, line, verb }) => `src/${file}:${line} names ${verb}`)).toEqual([]);
  });

  it('contains each name of the list, which only gets shorter', () => {
    const named = new Set(found.map(({ file, verb }) => `${file}: ${verb}`));
    expect(listed.filter((entry) => !named.has(entry))).toEqual([]);
    expect(Object.keys(NAMED).length).toBeLessThanOrEqual(MAX_FILES);
    expect(listed.length).toBeLessThanOrEqual(MAX_NAMES);
  });
});

describe('search for named verbs', () => {
  const namesIn = (text: string, file = 'language/flow/a.ts'): string[] => namedIn(file, text).map(({ verb }) => verb);

  it.each([
    ["if (step.spec.verb === 'queue') go();", ['queue']],
    ["switch (verb) { case 'menu': case 'pay': break; }", ['menu', 'pay']],
    ["const ASKING = ['collect', 'menu'];", ['collect', 'menu']],
    ["const MAIN = { bridge: 'to', transfer: 'to' };", ['bridge', 'transfer']],
    ["const { waiting } = step['queue'];", ['queue']],
    ["verbSchemas.get('assistant');", ['assistant']],
  ])('finds the verbs in %s', (text, names) => {
    expect(namesIn(text)).toEqual(names);
  });

  it.each([
    "if (command.type === 'play') stop();",
    "switch (entry.kind) { case 'request': break; }",
    "type Kind = 'queue' | 'conference';",
    "const COMMANDS = ['play', 'accept', 'hold'];",
    "send({ type: 'hangup' });",
    "step['set'];",
  ])('leaves the words of others in %s', (text) => {
    expect(namesIn(text)).toEqual([]);
  });

  it('finds a verb in other folders next to the word verb only', () => {
    expect(namesIn("if (verb === 'play') count(['menu', 'pay']);", 'service/observers/a.ts')).toEqual(['play']);
  });
});
