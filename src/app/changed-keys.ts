/**
 * What differs between two readings of the file: keys that a reload takes, and keys that need a restart. Neighbour:
 * `reload.ts`.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Config } from '../config.ts';
import { snakeCase } from '../core/key-case.ts';

/** Taken by a reload. */
const RELOADED = [
  'projects',
  'numbers',
  'rooms',
  'prompts',
  'schedules',
  'timezone',
  'env',
  'secrets',
  'messages',
  'assistants',
  'admin',
] as const;
const RELOADED_KEYS = new Set([
  ...['sip.users', 'sip.routes', 'sip.allow_sip_uris'],
  ...['limits.calls', 'limits.inbound_reserve_percent', 'limits.drain'],
]);
/** Sections that are looked at key by key. */
const SECTIONS = ['http', 'sip', 'video', 'webhooks', 'log', 'limits', 'broadcasts'] as const;
const VALUES = ['dataDirectory', 'flowsDirectory', 'studio'] as const;

export interface ChangedKeys {
  /** As the file has them. */
  reloaded: string[];
  needsRestart: string[];
}

export function changedKeys(before: Config, after: Config): ChangedKeys {
  const changed = SECTIONS.flatMap((section) => keysIn(section, before, after));
  const speech = isDeepStrictEqual([before.tts, before.asr], [after.tts, after.asr]) ? [] : ['speech'];
  const optional = (['tracing', 'asterisk', 'cluster'] as const).filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  );
  const values = VALUES.filter((name) => before[name] !== after[name]).map(snakeCase);
  return {
    reloaded: [
      ...RELOADED.filter((name) => !isDeepStrictEqual(before[name], after[name])),
      ...changed.filter((key) => RELOADED_KEYS.has(key)),
    ],
    needsRestart: [...values, ...changed.filter((key) => !RELOADED_KEYS.has(key)), ...speech, ...optional],
  };
}

function keysIn(section: (typeof SECTIONS)[number], before: Config, after: Config): string[] {
  const [old, next] = [before[section], after[section]] as unknown as Record<string, unknown>[];
  const names = [...new Set([...Object.keys(old!), ...Object.keys(next!)])];
  return names
    .filter((name) => !isDeepStrictEqual(old![name], next![name]))
    .flatMap((name) => {
      if (section === 'sip' && name === 'tls') return tlsKeys(before.sip.tls, after.sip.tls);
      // Where the file does not say it, it follows from carriers, which may come and go.
      if (section === 'webhooks' && (name === 'isChosen' || !(before.webhooks.isChosen || after.webhooks.isChosen)))
        return [];
      return [`${section}.${snakeCase(name).replace(/_ms$/, '')}`];
    });
}

type Tls = Config['sip']['tls'];

/** Certificates are read again; whether and where the service listens, and whether it asks for certificates, stays. */
function tlsKeys(before: Tls, after: Tls): string[] {
  if (!before || !after) return ['sip.tls'];
  const asks = (tls: NonNullable<Tls>): boolean => tls.clientCa !== undefined;
  return [
    ...(before.port === after.port ? [] : ['sip.tls.port']),
    ...(asks(before) === asks(after) ? [] : ['sip.tls.client_ca']),
  ];
}
