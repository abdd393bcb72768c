/** Field values of a form, and the request bodies built from them. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kindOf, readForm, writtenOf } from '../../../src/pages/studio/web/settings/fields.ts';
import type { OpenApiSchema } from '../../../src/pages/studio/web/settings/openapi.ts';

const schemaOf = (name: string): OpenApiSchema =>
  JSON.parse(readFileSync(new URL(`../../../schemas/api/admin/${name}.schema.json`, import.meta.url), 'utf8'));

describe('form of a setting', () => {
  test.each([
    ['user', 'password', 'secret'],
    ['user', 'srtp', 'choice'],
    ['number', 'flow', 'text'],
    ['number', 'auto_accept', 'switch'],
    ['number', 'input', 'json'],
    ['number', 'greeting', 'json'],
    ['route', 'gateways', 'list'],
    ['route', 'failover_on', 'list'],
    ['route', 'max_calls', 'number'],
    ['prompt', 'text', 'long'],
  ])('renders for a %s the field %s as kind %s', (name, field, kind) => {
    expect(kindOf(field, schemaOf(name).properties![field]!)).toBe(kind);
  });

  test('omits fields that are empty', () => {
    expect(readForm({ flow: ' welcome ', webhook: '', auto_accept: '' }, schemaOf('number'))).toEqual({
      body: { flow: 'welcome' },
    });
  });

  test('removes a limit whose field was emptied', () => {
    expect(readForm({ name: 'Shop', max_calls: '', calls_per_second: '5' }, schemaOf('project-change'))).toEqual({
      body: { name: 'Shop', video_webhook: null, max_calls: null, calls_per_second: 5 },
    });
  });

  test('reads lists by lines, numbers, yes and no, and JSON', () => {
    const fields = {
      gateways: 'sip:a.example\n\n sip:b.example ',
      failover_on: '503\n5xx',
      max_calls: '30',
      register: 'true',
    };
    expect(readForm(fields, schemaOf('route'))).toEqual({
      body: { gateways: ['sip:a.example', 'sip:b.example'], failover_on: [503, '5xx'], max_calls: 30, register: true },
    });
    expect(readForm({ input: '{ "name": "Ada" }', greeting: 'Good day.' }, schemaOf('number'))).toEqual({
      body: { input: { name: 'Ada' }, greeting: 'Good day.' },
    });
  });

  test('names each invalid field, and the expected format', () => {
    expect(readForm({ max_calls: 'many' }, schemaOf('route')).problems).toEqual({
      gateways: 'Fill this in.',
      max_calls: 'Needs a number.',
    });
    expect(readForm({ input: '{ name' }, schemaOf('number')).problems).toEqual({
      input: expect.stringMatching(/^Must be JSON: /),
    });
  });

  test('keeps the spaces of a password', () => {
    expect(readForm({ password: ' a longer b ' }, schemaOf('user'))).toEqual({ body: { password: ' a longer b ' } });
  });

  test('shows existing values as they would be written', () => {
    expect(writtenOf(['a', 503], 'list')).toBe('a\n503');
    expect(writtenOf({ name: 'Ada' }, 'json')).toBe('{\n  "name": "Ada"\n}');
    expect(writtenOf('Good day.', 'json')).toBe('Good day.');
    expect(writtenOf(undefined, 'text')).toBe('');
    expect(writtenOf(false, 'switch')).toBe('false');
  });
});
