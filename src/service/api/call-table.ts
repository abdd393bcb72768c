/** Columns of a call in CSV exports, from the JSON body. */
import { csvLine } from '../../base/core/csv.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';

/** Columns of the last bridge. Earlier bridges are only in the JSON export. */
const BRIDGE_COLUMNS = [
  'to',
  'started',
  'bridged',
  'ended',
  'disconnect_reason',
  'disconnect_cause_code',
  'hangup_by',
  'sip_status',
  'sip_call_id',
  'post_dial_ms',
  'ring_ms',
  'route',
  'gateway',
] as const;

const COLUMNS: readonly (readonly [name: string, cellOf: (call: JsonObject) => Json | undefined])[] = [
  ...[
    ...['voice_id', 'app_id', 'direction', 'state', 'from', 'to', 'started', 'ringing', 'connected', 'ended'],
    ...['call_duration', 'post_dial_ms', 'ring_ms', 'disconnect_reason', 'disconnect_cause_code', 'hangup_by'],
    ...['sip_status', 'sip_reason', 'sip_call_id', 'route', 'gateway', 'remote', 'user_agent', 'flow', 'flow_hash'],
    ...['app_instance', 'owner_ref', 'answered_by'],
  ].map((name) => [name, (call: JsonObject) => call[name]] as const),
  ['recording_ids', (call) => idsIn(call['recordings'])],
  ...['codec', 'mos', 'encrypted'].map((name) => [name, (call: JsonObject) => partOf(call['quality'])[name]] as const),
  ['bridges', (call) => listIn(call['bridges']).length],
  ...BRIDGE_COLUMNS.map(
    (name) => [`bridge_${name}`, (call: JsonObject) => partOf(listIn(call['bridges']).at(-1))[name]] as const,
  ),
];

export const callTableHeader = (): string => csvLine(COLUMNS.map(([name]) => name));
export const callTableRow = (call: JsonObject): string => csvLine(COLUMNS.map(([, cellOf]) => cellOf(call)));

const listIn = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const partOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

const idsIn = (recordings: Json | undefined): string | undefined => {
  const ids = listIn(recordings).map((recording) => String(partOf(recording)['recording_id']));
  return ids.length === 0 ? undefined : ids.join(' ');
};
