/**
 * Differences between two configurations: keys that a reload applies, and keys that need a restart. Neighbour:
 * `reload.ts`.
 */
import { isDeepStrictEqual } from 'node:util';
import { snakeCase } from '../base/core/key-case.ts';
import type { Config } from '../config.ts';

/** Applied by a reload. */
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
/** Sections that are compared key by key. */
const SECTIONS = ['http', 'sip', 'video', 'webhooks', 'log', 'limits', 'broadcasts'] as const;
const VALUES = ['dataDirectory', 'flowsDirectory', 'studio'] as const;

export interface ChangedKeys {
  /** Key names as in the file. */
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
      // Without an explicit value, this setting follows from carriers, which may change at run time.
      if (section === 'webhooks' && (name === 'isChosen' || !(before.webhooks.isChosen || after.webhooks.isChosen)))
        return [];
      return [`${section}.${snakeCase(name).replace(/_ms$/, '')}`];
    });
}

type Tls = Config['sip']['tls'];

/**
 * A reload reads certificates again, but does not change whether and where the service listens, nor whether it requires
 * client certificates.
 */
function tlsKeys(before: Tls, after: Tls): string[] {
  if (!before || !after) return ['sip.tls'];
  const asks = (tls: NonNullable<Tls>): boolean => tls.clientCa !== undefined;
  return [
    ...(before.port === after.port ? [] : ['sip.tls.port']),
    ...(asks(before) === asks(after) ? [] : ['sip.tls.client_ca']),
  ];
}
