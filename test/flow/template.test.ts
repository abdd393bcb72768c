import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/core/json.ts';
import type { Scope } from '../../src/language/flow/compiled-flow.ts';
import { ExpressionError } from '../../src/language/flow/expression.ts';
import { hasExpression } from '../../src/language/flow/outcome-conditions.ts';
import { compileTemplate, renderTemplate, templateProblems } from '../../src/language/flow/template.ts';

const scope: Scope = {
  input: {},
  call: { from: '+331' },
  vars: { n: 7, s: 'gold', yes: true, none: null, list: [1, 2], map: { a: 1 } },
  steps: {},
  env: {},
  secrets: { token: 'T' },
};
const context = { nowMs: 0, random: () => 0 };
const render = (written: Json, options = {}) => renderTemplate(compileTemplate(written, options), scope, context);

describe('rendering', () => {
  it.each<[string, Json, Json]>([
    ['text without expressions', 'plain { } $ text', 'plain { } $ text'],
    ['exactly one expression keeps its type', '${ vars.n }', 7],
    ['… a boolean', '${vars.yes}', true],
    ['… a list', '${ vars.list }', [1, 2]],
    ['… a map', '${ vars.map }', { a: 1 }],
    ['a blank beside it makes it text', ' ${ vars.n }', ' 7'],
    ['several in a text', '${ vars.s }-${ vars.n }', 'gold-7'],
    ['a list in a text is JSON', 'is ${ vars.list }', 'is [1,2]'],
    ['what is missing is nothing', 'a${ vars.gone }b${ vars.none }c', 'abc'],
    ['a missing value alone is null', '${ vars.gone }', null],
    ['a missing value is left out of a map', { a: '${ vars.gone }', b: '${ vars.none }' }, { b: null }],
    ['… and null in a list', ['${ vars.gone }', 1], [null, 1]],
    ['an escape', 'cost $${ n }', 'cost ${ n }'],
    ['an escape beside an expression', '$${${ vars.n }}', '${7}'],
    ['braces inside', "${ { 'a': { 'b': vars.n } } }", { a: { b: 7 } }],
    ['a brace in a string', "${ '}' & vars.s & '{' }", '}gold{'],
    ['an escaped quote', '${ "say \\"hi\\" }" }', 'say "hi" }'],
    ['a brace in a regex', "${ $replace('a}b', /\\}/, '-') }", 'a-b'],
    ['a division is no regex', '${ vars.n / 7 } and ${ 8 / 2 }', '1 and 4'],
    ['a comment', '${ /* } */ vars.n }', 7],
    ['a quoted name', '${ vars.`s` }', 'gold'],
    ['deep inside', { a: [{ b: 'n=${ vars.n }' }] }, { a: [{ b: 'n=7' }] }],
    ['keys are not templates', { '${ vars.n }': 1 }, { '${ vars.n }': 1 }],
  ])('renders a template: %s', async (_name, written, expected) => {
    expect(await render(written)).toEqual(expected);
  });

  it('evaluates in the order written', async () => {
    let n = 0;
    const template = compileTemplate({ b: '${ $random() }', a: ['${ $random() }', 'x${ $random() }'] });
    const counting = { nowMs: 0, random: () => ++n };
    expect(await renderTemplate(template, scope, counting)).toEqual({ b: 1, a: [2, 'x3'] });
  });
});

describe('constants', () => {
  it.each<Json>(['text', 5, null, { a: ['b', { c: true }] }])('%j is rendered unchanged', async (written) => {
    const template = compileTemplate(written);
    expect(template.isConstant).toBe(true);
    expect(await renderTemplate(template, scope, context)).toBe(written);
  });

  it('parts without expressions are not copied', async () => {
    const written = { fixed: { deep: ['x'] }, n: '${ vars.n }' };
    const rendered = (await render(written)) as typeof written;
    expect(rendered.fixed).toBe(written.fixed);
  });

  it('distinguishes an expression from an escape in hasExpression', () => {
    expect(['${ x }', 'a ${x}', '$${ x }', 'a $ { }', '$${a}${b}'].map(hasExpression)).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
  });
});

describe('places that are left alone, or see secrets', () => {
  it('skips values by JSON pointer', async () => {
    const written = { confirm: { prompt: '${ result.digits }' }, cases: [{ when: '${ 1 }' }], n: '${ vars.n }' };
    expect(await render(written, { skip: ['/confirm', '/cases/*/when'] })).toEqual({ ...written, n: 7 });
  });

  it('shows secrets only where they are allowed', async () => {
    const written = {
      headers: { a: 'Bearer ${ secrets.token }' },
      body: '${ secrets.token }',
      all: '${ $string($$) }',
    };
    const rendered = (await render(written, { secrets: ['/headers'] })) as { [key: string]: string };
    expect(rendered['headers']).toEqual({ a: 'Bearer T' });
    expect(rendered['body']).toBeUndefined();
    expect(rendered['all']).not.toContain('T"');
  });
});

describe('mistakes', () => {
  it.each<[string, string, string, number]>([
    ['never closed', 'abc ${ vars.n', 'template-syntax', 4],
    ['an open quote inside', "${ 'x }", 'template-syntax', 0],
    ['empty', 'x${ }', 'expression-syntax', 4],
    ['a mistake in the second', '${ vars.n } ${ 1 + }', 'expression-syntax', 17],
  ])('rejects a template: %s', async (_name, written, code, position) => {
    const template = compileTemplate({ a: [written] });
    expect(templateProblems(template)).toMatchObject([{ code, position, pointer: '/a/0' }]);
    expect(template.isConstant).toBe(false);
    await expect(renderTemplate(template, scope, context)).rejects.toBeInstanceOf(ExpressionError);
  });
});

describe('values in URLs', () => {
  const urlScope: Scope = {
    ...scope,
    vars: {
      id: '../admin/users',
      up: '..',
      dot: '.',
      odd: 'a b/c?d=e&f#g',
      path: 'v2/a b',
      host: 'crm.example:81',
      n: 7,
    },
    call: { from: '+331' },
    env: { crm: 'https://crm.example/v1', host: 'crm.example:8080', path: 'v2/api', key: 'a&b' },
  };
  const url = (written: Json): Promise<Json> => renderTemplate(compileTemplate(written), urlScope, context);

  it.each<[string, string, string]>([
    ['as one segment of the path', 'https://h/o/${ vars.odd }/x', 'https://h/o/a%20b%2Fc%3Fd%3De%26f%23g/x'],
    [
      'in the query',
      'https://h/o?a=${ vars.odd }&b=${ call.from }',
      'https://h/o?a=a%20b%2Fc%3Fd%3De%26f%23g&b=%2B331',
    ],
    [
      'behind a base of the configuration',
      '${ env.crm }/o/${ vars.odd }',
      'https://crm.example/v1/o/a%20b%2Fc%3Fd%3De%26f%23g',
    ],
    [
      'once, where the author does it',
      'https://h/${ $encodeUrlComponent(vars.odd) }',
      'https://h/a%20b%2Fc%3Fd%3De%26f%23g',
    ],
    [
      'once, by the chain operator',
      'https://h/${ vars.odd ~> $encodeUrlComponent }',
      'https://h/a%20b%2Fc%3Fd%3De%26f%23g',
    ],
    ['with slashes where a path is declared', 'https://h/${ $encodeUrlPath(vars.path) }?x=1', 'https://h/v2/a%20b?x=1'],
    ['not, where the configuration has written it', 'https://h/${ env.path }/x', 'https://h/v2/api/x'],
    ['of the configuration too in the query', 'https://h/?key=${ env.key }', 'https://h/?key=a%26b'],
    ['of an author', "https://h/${ vars.n > 5 ? 'many/of' : 'few' }", 'https://h/many/of'],
    ['as a host with a port', 'https://${ vars.host }/x', 'https://crm.example:81/x'],
    [
      'as the host of a web socket',
      'wss://${ env.host }/x?a=${ vars.odd }',
      'wss://crm.example:8080/x?a=a%20b%2Fc%3Fd%3De%26f%23g',
    ],
    ['dots of a name', 'https://h/v${ vars.n }.json', 'https://h/v7.json'],
    ['dots in the query', 'https://h/?path=${ vars.id }', 'https://h/?path=..%2Fadmin%2Fusers'],
    ['a user of a SIP URI', 'sip:${ call.from }@pbx.example', 'sip:+331@pbx.example'],
    ['what would end it', 'sip:${ vars.odd }@pbx.example', 'sip:a%20b%2Fc%3Fd%3De%26f%23g@pbx.example'],
    ['a host of a SIP URI', 'sip:100@${ vars.host };transport=tcp', 'sip:100@crm.example:81;transport=tcp'],
    ['a sentence is no URL', 'https://h/x is for ${ vars.odd }', 'https://h/x is for a b/c?d=e&f#g'],
  ])('are encoded by their position: %s', async (_name, written, expected) => {
    expect(await url(written)).toBe(expected);
  });

  it.each([
    'https://h/orders/${ vars.id }',
    'https://h/orders/${ vars.up }/x',
    'https://h/orders/${ vars.dot }${ vars.dot }',
    'https://h/orders/.${ vars.dot }/x',
    '${ env.crm }/${ $encodeUrlComponent(vars.id) }',
    'https://h/${ $encodeUrlPath(vars.id) }',
  ])('are refused where they would change the path: %s', async (written) => {
    await expect(url(written)).rejects.toMatchObject({ code: 'expression-url' });
  });

  it('keeps a whole value as it is', async () => {
    expect(await url('${ env.crm }')).toBe('https://crm.example/v1');
  });
});
