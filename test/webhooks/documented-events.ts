/** The events that docs/webhooks.md describes, for comparison with the sent ones. */
import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../../src/base/core/json.ts';

const PAGE = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
const NAMES = ['type', 'playstate', 'state', 'event'] as const;
/** Fields of every event of a call, also of the calls of broadcasts. */
const COMMON = ['voice_id', 'from', 'to', 'timestamp', 'owner_ref', 'app_instance', 'broadcast_id', 'appInstance'];
const OF_ROOMS = ['type', 'trans_date', 'app_id', 'room_id', 'conf_num', 'timestamp'];

const wordsOf = (text: string): Set<string> => new Set([...text.matchAll(/`([\w-]+)`/g)].map(([, word]) => word!));

/** All words in backticks, by row of the page. */
const ROWS = PAGE.split('\n')
  .filter((line) => line.startsWith('| '))
  .map(wordsOf);

/** Describes what no row of the page has; undefined if the page has everything. */
export function undocumentedIn(event: JsonObject): string | undefined {
  // The ciphertext of an event, for old clients.
  if (event['encrypted_data'] !== undefined) return undefined;
  const key = NAMES.find((name) => typeof event[name] === 'string');
  const name = key === undefined ? '' : String(event[key]);
  const common = key === 'type' ? OF_ROOMS : COMMON;
  const user = isObject(event['user']) ? Object.keys(event['user']) : [];
  // The author chooses the name of a `notify`.
  const state = key === 'type' && typeof event['state'] === 'string' ? [event['state']] : [];
  const words = [...(key === 'event' ? ['notify'] : [name]), ...state, ...Object.keys(event), ...user];
  const missing = ROWS.filter((row) => row.has(words[0]!)).map((row) =>
    words.filter((word) => !row.has(word) && !common.includes(word)),
  );
  if (missing.some((fields) => fields.length === 0)) return undefined;
  return `docs/webhooks.md has no row with ${words.join(', ')} (${missing.map((fields) => fields.join(' ')).join(' | ')})`;
}
