/** The name that F2 renames: at the cursor, in the flow or a local flow, or of a selected section. */
import { expect, it } from 'vitest';
import { YamlScanner } from '../../../src/language/flow/text/scan-yaml.ts';
import { nameAtCursor, sectionOf } from '../../../src/pages/studio/web/flows/name-here.ts';
import { isDefinedIn, lastingRenames } from '../../../src/pages/studio/web/renames/renamed.ts';
import { language } from '../graph/flows.ts';

const TEXT = `flow: shop
start: ask
schedules: { office: { timezone: Europe/Paris } }
prompts: { hello: Hello }
vars: { code: { default: "\${ 1 }" } }
steps:
  ask: { menu: { prompt: hello, choices: { one: { dtmf: "1" } } }, section: Door, exits: { one: hours, exhausted: pin } }
  hours: { schedule: office, exits: { open: pin } }
  pin: { subflow: inner, next: $end }
flows:
  inner:
    start: step
    vars: { code: { default: 1 } }
    steps:
      step: { play: [hello, "\${ vars.code }"], section: Inside, next: last }
      last: { schedule: office, next: step }
`;
const words = new YamlScanner(TEXT).words;
/** Name at the marker `|` in a part of the text. */
const at = (part: string): unknown => {
  const start = TEXT.indexOf(part.replace('|', ''));
  expect(start).toBeGreaterThan(-1);
  return nameAtCursor(TEXT, words, start + part.indexOf('|'), language);
};

it.each([
  ['a|sk: { menu', { kind: 'step', name: 'ask' }],
  ['o|ffice: {', { kind: 'schedule', name: 'office' }],
  ['hours: { schedule: of|fice', { kind: 'schedule', name: 'office' }],
  ['last: { schedule: of|fice', { kind: 'schedule', name: 'office' }],
  ['section: Do|or', { kind: 'section', name: 'Door' }],
  ['section: Ins|ide', { kind: 'section', name: 'Inside', within: 'inner' }],
  ['choices: { on|e:', { kind: 'choice', name: 'one', step: 'ask' }],
  ['exits: { on|e:', { kind: 'choice', name: 'one', step: 'ask' }],
  ['st|ep: { play', { kind: 'step', name: 'step', within: 'inner' }],
  ['next: la|st', { kind: 'step', name: 'last', within: 'inner' }],
  ['vars.co|de }"], section', { kind: 'variable', name: 'code', within: 'inner' }],
  ['play: [he|llo', { kind: 'prompt', name: 'hello' }],
  ['subflow: inn|er', { kind: 'flow', name: 'inner' }],
  ['  inn|er:\n', { kind: 'flow', name: 'inner' }],
  ['next: $e|nd }\nflows', undefined],
  ['flow: sh|op', undefined],
])('finds the name at %s', (part, found) => {
  expect(at(part)).toEqual(found);
});

it('finds a section if all its steps are selected, and no others', () => {
  const steps = [{ name: 'a', section: 'Door' }, { name: 'b', section: 'Door' }, { name: 'c' }];
  expect(sectionOf(['b', 'a'], steps)).toBe('Door');
  expect([['a'], ['a', 'b', 'c'], ['c', 'a'], []].map((selected) => sectionOf(selected, steps))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it('keeps a rename inside of a local flow under the present name of that flow, which comes first', () => {
  const renamed = TEXT.replaceAll('inner', 'inside').replaceAll('last', 'end');
  const present = new YamlScanner(renamed).words;
  expect(
    lastingRenames(
      [
        { kind: 'step', from: 'last', to: 'end', within: 'inner' },
        { kind: 'flow', from: 'inner', to: 'inside' },
        { kind: 'section', from: 'Door', to: 'Gate' },
      ],
      (name) => isDefinedIn(present, name),
    ),
  ).toEqual([
    { kind: 'flow', from: 'inner', to: 'inside' },
    { kind: 'step', from: 'last', to: 'end', within: 'inside' },
  ]);
});
