/** Reads the section `payments`: the providers of card payments. */
import type { PaymentProvider } from '../base/core/payment.ts';
import { childPointer } from '../base/schema/document.ts';
import type { ConfigContext } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

type WrittenProvider = ConfigFile['payments'][number];

/** Keys of each adapter, apart from `name` and `adapter`, which all have. */
const KEYS: Readonly<Record<WrittenProvider['adapter'], readonly string[]>> = {
  generic: ['url', 'headers'],
  stripe: ['key', 'moto'],
  simulated: [],
};
const NEEDED: Readonly<Record<WrittenProvider['adapter'], 'url' | 'key' | undefined>> = {
  generic: 'url',
  stripe: 'key',
  simulated: undefined,
};
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export function readPaymentProviders(written: ConfigFile['payments'], context: ConfigContext): PaymentProvider[] {
  const names = written.map(({ name }) => name);
  context.refuseDuplicates('/payments/*/name', names, 'provider');
  return written.flatMap((provider, index) => readProvider(provider, `/payments/${index}`, context));
}

function readProvider(written: WrittenProvider, at: string, context: ConfigContext): PaymentProvider[] {
  const { name, adapter, url, key, moto, headers } = written;
  const given = { url, key, moto: moto || undefined, headers: Object.keys(headers).length > 0 || undefined };
  for (const [each, value] of Object.entries(given)) {
    if (value === undefined || KEYS[adapter].includes(each)) continue;
    context.report('wrong-value', `the adapter ${adapter} does not use ${each}`, childPointer(at, each), 'remove it');
  }
  const needed = NEEDED[adapter];
  if (needed !== undefined && written[needed] === undefined) {
    context.report('wrong-value', `the adapter ${adapter} needs ${needed}`, at, `add ${needed}: …`);
    return [];
  }
  if (adapter === 'simulated') return [{ name, adapter }];
  if (adapter === 'stripe') return [{ name, adapter, moto, key: context.secret(key!, `${at}/key`) }];
  const target = URL.parse(url!);
  if (target?.protocol !== 'https:' && !LOOPBACK.test(target?.hostname ?? '')) {
    const hint = 'http:// is allowed for this machine only: http://127.0.0.1:8080/…';
    context.report('wrong-value', 'card data requires an https:// URL', `${at}/url`, hint);
    return [];
  }
  return [{ name, adapter, url: url!, headers: context.secrets(headers, `${at}/headers`) }];
}
