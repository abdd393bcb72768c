/** The section `payments` of the configuration. */
import { expect, it } from 'vitest';
import { readConfigText } from '../../src/config.ts';

const BANK = { name: 'bank', adapter: 'generic', url: 'https://bank.example/pay' };

it.each<[string, object[], object[]]>([
  ['one of each kind', [BANK, { name: 's', adapter: 'stripe', key: 'sk' }, { name: 't', adapter: 'simulated' }], []],
  ['a service on this machine', [{ ...BANK, url: 'http://127.0.0.1:8080/pay' }], []],
  [
    'no service elsewhere by http',
    [{ ...BANK, url: 'http://bank.example/pay' }],
    [{ code: 'wrong-value', message: 'card data requires an https:// URL' }],
  ],
  ['an address', [{ name: 'bank', adapter: 'generic' }], [{ message: 'the adapter generic needs url' }]],
  ['a key', [{ name: 'bank', adapter: 'stripe' }], [{ message: 'the adapter stripe needs key' }]],
  ['no keys of another adapter', [{ ...BANK, key: 'x' }], [{ message: 'the adapter generic does not use key' }]],
  ['each name once', [BANK, BANK], [{ code: 'duplicate' }]],
])('checks a provider of payments: %s', (_what, payments, expected) => {
  expect(readConfigText(JSON.stringify({ payments }), '/tmp/callweave.yaml', {}).diagnostics).toMatchObject(expected);
});
