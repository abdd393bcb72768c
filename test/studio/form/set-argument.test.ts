/** Every key of every verb is set in the text and cleared again, in each manner of writing. */
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../../src/base/core/json.ts';
import { verbSchemas } from '../../../src/base/schema/schema-forms.ts';
import { applyEdits, isRefusal } from '../../../src/language/flow/text/edits.ts';
import { flowReader, readFlow } from '../../../src/language/flow/text/flow-reader.ts';
import type { Path } from '../../../src/language/flow/text/flow-source.ts';
import { rewrite } from '../../../src/language/flow/text/rewrite.ts';
import { argumentAt, argumentChanges } from '../../../src/language/flow/text/set-argument.ts';
import { check } from '../../flow/check-flow.ts';
import { type Argument, argumentsOf, commonArguments, flowOf, language } from './samples.ts';

/** Findings about a value itself; those about routes and names depend on the rest of the flow. */
const OF_VALUES = /^(wrong-.*|not-a-list|two-bodies|unknown-key|syntax.*|.*-yaml)$/;

const inBraces = (flow: JsonObject): string =>
  Object.entries(flow)
    .map(([key, value]) =>
      key === 'steps'
        ? `steps:\n${Object.entries(value as JsonObject)
            .map(([name, step]) => `  ${name}: ${spaced(step)} # ${name}\n`)
            .join('')}`
        : `${key}: ${spaced(value)}\n`,
    )
    .join('');

const spaced = (value: Json): string =>
  stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: true }).trimEnd();

const withRemarks = (text: string): string =>
  text.replaceAll(/^( {4,})(\w+:)/gm, '$1# above $2\n$1$2').replaceAll(/([^:|>\-\n])$/gm, '$1 # behind');

const MANNERS: Readonly<Record<string, (flow: JsonObject) => string>> = {
  'a block map': (flow) => stringify(flow, { lineWidth: 0 }),
  'a map in braces': inBraces,
  'four spaces': (flow) => stringify(flow, { indent: 4, lineWidth: 0 }),
  'comments above and behind': (flow) => withRemarks(stringify(flow, { lineWidth: 0 })),
  'single quotes': (flow) => stringify(flow, { defaultStringType: 'QUOTE_SINGLE', lineWidth: 0 }),
  JSON: (flow) => `${JSON.stringify(flow, null, 2)}\n`,
  'line ends of Windows': (flow) => stringify(flow, { lineWidth: 0 }).replaceAll('\n', '\r\n'),
  'no line end at the end': (flow) => inBraces({ ...flow }).trimEnd(),
};

function set(text: string, path: Path, value: Json | undefined): string {
  const changes = argumentChanges(readFlow(text).value as JsonObject, { step: 'first', path, value }, language);
  if (isRefusal(changes)) throw new Error(changes.refused);
  const edits = rewrite(text, changes);
  if (isRefusal(edits)) throw new Error(`${edits.refused}\n${text}`);
  return applyEdits(text, edits);
}

const valueIn = (text: string, { path }: Argument): Json | undefined =>
  argumentAt(readFlow(text).value as JsonObject, 'first', path, language);

describe.each([...verbSchemas.keys(), 'any verb'])('the arguments of %s', (verb) => {
  const all = verb === 'any verb' ? commonArguments() : argumentsOf(verb);

  it.each(Object.entries(MANNERS))('are set and cleared to the byte: %s', (_, write) => {
    for (const argument of all) {
      const text = write(flowOf(argument.step));
      const changed = set(text, argument.path, argument.sample);
      expect(valueIn(changed, argument), argument.key).toEqual(argument.sample);
      expect(set(changed, argument.path, undefined), argument.key).toBe(text);
      // Setting what is there changes nothing.
      expect(set(changed, argument.path, argument.sample), argument.key).toBe(changed);
    }
  });

  it('are written with one parse of the text at most', () => {
    for (const argument of all) {
      const text = inBraces(flowOf(argument.step));
      readFlow(text);
      const before = flowReader.parserCalls;
      readFlow(set(text, argument.path, argument.sample));
      expect(flowReader.parserCalls - before, argument.key).toBeLessThanOrEqual(1);
    }
  });

  it('passes the check with every value that the schema allows', () => {
    const refused = all.flatMap(({ step, path, key, sample }) => {
      const text = set(MANNERS['a block map']!(flowOf(step)), path, sample);
      const found = check(text).diagnostics.filter(
        ({ code, severity }) => severity === 'error' && OF_VALUES.test(code),
      );
      return found.map(({ code, message }) => `${key}: ${code}, ${message}`);
    });
    expect(refused).toEqual([]);
  });
});

describe('a value of a step', () => {
  const text = `flow: a
start: first
steps:
  first:
    play: welcome # says
    # leads on
    next: bye
  bye: { hangup: normal }
`;

  it('turns the short form into a map, which stays', () => {
    const lifted = set(text, ['play', 'barge_in'], true);
    expect(lifted).toBe(text.replace('play: welcome', 'play: { prompt: welcome, barge_in: true }'));
    expect(set(lifted, ['play', 'barge_in'], undefined)).toBe(
      text.replace('play: welcome', 'play: { prompt: welcome }'),
    );
  });

  it('has its place in the short form', () => {
    expect(set(text, ['play', 'prompt'], 'Good day.')).toBe(text.replace('welcome', 'Good day.'));
  });

  it('stands behind the key that precedes it in the schema', () => {
    const menu = text.replace('play: welcome', 'menu: { prompt: a, choices: { x: { dtmf: "1" } }, no_match: b }');
    const made = set(set(menu, ['menu', 'attempts'], 2), ['menu', 'speech'], { grammar: 'yes_no' });
    expect(made).toContain('choices: { x: { dtmf: "1" } }, speech: { grammar: yes_no }, attempts: 2, no_match: b }');
    expect(set(made, ['menu', 'speech', 'grammar'], undefined)).toContain('} }, attempts: 2, no_match: b }');
  });

  it('takes an optional map along when it was the last in it', () => {
    const made = set(
      text.replace('play: welcome', 'collect: { prompt: a, digits: { max: 4 } }'),
      ['collect', 'digits', 'max'],
      undefined,
    );
    expect(made).toContain('collect: { prompt: a } # says');
  });

  it('stays a map when a verb loses its last key', () => {
    const made = set(text.replace('play: welcome # says', 'hold:\n      music: waltz'), ['hold', 'music'], undefined);
    expect(made).toContain('    hold: {}\n');
  });

  it('adds and removes the items of a list', () => {
    const list = text.replace(
      'play: welcome # says',
      'queue:\n      name: a\n      agents:\n        - ann # first\n        - bob',
    );
    const added = set(list, ['queue', 'agents', 2], 'eve');
    expect(added).toContain('        - bob\n        - eve\n');
  });

  it('is refused for an alias whose anchor others share', () => {
    const shared = text
      .replace('play: welcome', 'play: &words { prompt: welcome }')
      .replace('hangup: normal', 'play: *words');
    expect(() => set(shared, ['play', 'barge_in'], true)).toThrow(/shared/);
  });
});
