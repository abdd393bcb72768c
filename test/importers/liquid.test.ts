/** Liquid as JSONata: the real JSONata evaluator returns the same text. */
import { describe, expect, it } from 'vitest';
import { compileTemplate, renderTemplate, templateProblems } from '../../src/language/flow/template.ts';
import { pathBelow } from '../../src/language/importers/jsonata-text.ts';
import { translateLiquid } from '../../src/language/importers/liquid.ts';

const vars = {
  name: ' Ann Lee ',
  n: 7,
  zero: '',
  list: ['a', 'b', 'c'],
  at: '2026-03-02T09:05:00Z',
  map: { 'a b': 1 },
  t: true,
};
const scope = { input: {}, call: {}, vars, steps: {}, env: {} };

const translate = (text: string) =>
  translateLiquid(text, (path) => (path[0] === 'secret' ? { problem: 'no' } : { expression: pathBelow('vars', path) }));

async function rendered(text: string): Promise<unknown> {
  const translated = translate(text);
  if ('problem' in translated) throw new Error(translated.problem);
  const template = compileTemplate(translated.text, {});
  expect(templateProblems(template), translated.text).toEqual([]);
  return renderTemplate(template, scope, { nowMs: Date.parse('2026-03-02T14:05:09Z'), random: () => 0 });
}

describe('a template', () => {
  it.each<[string, unknown]>([
    ['no template at all', 'no template at all'],
    ['a $' + '{ literal }', 'a $' + '{ literal }'],
    ['{{n}}', 7],
    ['n is {{ n }}!', 'n is 7!'],
    ["{{- 'x' -}}", 'x'],
    ['{{ "it\'s" }}', "it's"],
    ['{{ gone }}.', '.'],
    ['{{ map["a b"] }}', 1],
    ['{{ list[1] }}', 'b'],
    ['[{{ name | strip }}]', '[Ann Lee]'],
    ['{{ name | strip | downcase }}', 'ann lee'],
    ['{{ name | upcase | strip }}', 'ANN LEE'],
    ["{{ 'ann' | capitalize }}", 'Ann'],
    ["{{ 'a' | append: 'b' | prepend: 'c' }}", 'cab'],
    ['{{ n | plus: 3 | times: 2 | minus: 1 }}', 19],
    ['{{ n | divided_by: 2 }} {{ n | modulo: 4 }}', '3 3'],
    ["{{ '3.456' | round: 1 }}", 3.5],
    ["{{ 'a-b-c' | replace: '-', '+' }}", 'a+b+c'],
    ["{{ 'a-b-c' | remove_first: '-' }}", 'ab-c'],
    ["{{ 'a,b' | split: ',' | last }}", 'b'],
    ["{{ list | join: ', ' }}", 'a, b, c'],
    ['{{ list | size }} {{ name | size }}', '3 9'],
    ["{{ zero | default: 'none' }} {{ gone | default: 'none' }} {{ n | default: 1 }}", 'none none 7'],
    ["{{ 'abcdef' | slice: 1, 3 }} {{ 'abc' | slice: -2, 2 }}", 'bcd bc'],
    ["{{ 'a long text' | truncate: 6 }}", 'a l...'],
    ["{{ 'a b&c' | url_encode }}", 'a%20b%26c'],
    ["{{ 'now' | date: '%H:%M' }}", '14:05'],
    ["{{ at | date: '%Y-%m-%d %I %p' }}", '2026-03-02 09 AM'],
    ['{% if n == 7 %}seven{% else %}other{% endif %}', 'seven'],
    ['{% if n > 9 %}a{% elsif n >= 7 %}b{{ n }}{% else %}c{% endif %}.', 'b7.'],
    ["{% unless name contains 'Ann' %}x{% endunless %}y", 'y'],
    ["{% if t and name contains 'Lee' %}both{% endif %}", 'both'],
    ['{% if gone or n != 7 %}x{% else %}{% if t %}in{% endif %}{% endif %}', 'in'],
  ])('renders the template %s', async (text, expected) => {
    expect(await rendered(text)).toEqual(expected);
  });

  it.each([
    ['{{ name | shout }}', 'the filter shout has no counterpart'],
    ["{{ at | date: '%Z' }}", 'the filter date has no counterpart'],
    ['{% for x in list %}{{ x }}{% endfor %}', '{% for x in list %} has no counterpart'],
    ['{% if n %}x', 'an {% if %} is not ended'],
    ['x{% endif %}', '{% endif %} ends nothing'],
    ['{{ }}', '“” is not a value'],
    ['{{ n + 1 }}', '“+ 1” is not a filter'],
    ['{{ secret }}', 'no'],
    ['{% if n ~ 1 %}{% endif %}', '“~ 1” is not a condition'],
    [`{% if n %}`.repeat(50), 'too deep'],
    [`{{ n }}${' '.repeat(5000)}`, 'more than 5000 characters'],
  ])('%s is not translated, and says why', (text, problem) => {
    expect(translate(text)).toMatchObject({ problem: expect.stringContaining(problem) });
  });
});
