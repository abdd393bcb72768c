/** The section `messages` of the configuration. */
import { expect, it } from 'vitest';
import { readConfigText } from '../../src/config.ts';

const SMS = { name: 'sms', url: 'https://sms.example/', body: { to: '{to}', text: ['{text}', 1] } };

it.each<[string, object[], object[]]>([
  ['a form of texts and lists', [{ ...SMS, form: true }], []],
  ['fields within fields as JSON', [{ ...SMS, body: { to: { number: '{to}' } } }], []],
  [
    'no fields within fields in a form',
    [{ ...SMS, form: true, body: { to: { number: '{to}' } } }],
    [{ code: 'wrong-value', message: 'form fields cannot be nested' }],
  ],
  ['each name once', [SMS, SMS], [{ code: 'duplicate' }]],
])('checks a provider of messages: %s', (_what, messages, expected) => {
  expect(readConfigText(JSON.stringify({ messages }), '/tmp/callweave.yaml', {}).diagnostics).toMatchObject(expected);
});
