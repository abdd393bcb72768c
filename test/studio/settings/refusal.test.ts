/** Problems of forms: at the field, and in words for people. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../src/pages/studio/web/api.ts';
import { readForm } from '../../../src/pages/studio/web/settings/fields.ts';
import { refusalOf } from '../../../src/pages/studio/web/shell/refusal.ts';
import { bodyReader } from '../../../src/service/api/body-reader.ts';

const schemaOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../schemas/api/admin/${name}.schema.json`, import.meta.url), 'utf8'));

/** Refusal of a body by the service, as the form gets it. */
function refused(schema: 'admin/number' | 'admin/route', body: object): unknown {
  try {
    bodyReader(schema)(body as never);
    return undefined;
  } catch (error) {
    const { status, message, hint } = error as ServiceError;
    return new ServiceError(status, message, hint === undefined ? {} : { hint });
  }
}

describe('refused form', () => {
  test('shows the words of the schema at the field, without a path', () => {
    expect(refusalOf(refused('admin/number', { webhook: 'ftp://example.org' }), ['webhook'])).toEqual({
      fields: { webhook: 'Must be a URL that starts with https:// or http://.' },
    });
  });

  test('shows a problem inside a list at the field of the list', () => {
    const { fields, form } = refusalOf(refused('admin/route', { gateways: [{}] }), ['gateways']);
    expect(form).toBeUndefined();
    expect(fields['gateways']).toMatch(/^Must be a SIP URI/);
  });

  test('marks a field that the service misses', () => {
    expect(refusalOf(refused('admin/route', {}), ['gateways'])).toEqual({ fields: { gateways: 'Fill this in.' } });
  });

  test('shows a reason with the name of a field at this field', () => {
    const error = new ServiceError(400, 'webhook: the host is not allowed');
    expect(refusalOf(error, ['webhook'])).toEqual({ fields: { webhook: 'The host is not allowed.' } });
  });

  test('shows other reasons once for the whole form', () => {
    const error = new ServiceError(409, 'this number is shared by several, in the configuration file');
    expect(refusalOf(error, ['flow'])).toEqual({
      fields: {},
      form: 'This number is shared by several, in the configuration file.',
    });
  });

  test('names the limits of each field before anything is sent', () => {
    const { problems } = readForm({ gateways: 'sip:a.example', max_calls: '0', strip: '2.5' }, schemaOf('route')) as {
      problems: Record<string, string>;
    };
    expect(problems['max_calls']).toMatch(/^(Needs a number between 1 and \d+|At least 1)\.$/);
    expect(problems['strip']).toBe('Needs a whole number.');
    expect(readForm({ password: 'short' }, schemaOf('user')).problems).toEqual({ password: 'At least 8 characters.' });
  });
});
