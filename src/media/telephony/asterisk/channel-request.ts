/** Request to Asterisk to call a party: the channel, the caller ID, and headers of the INVITE. */
import type { JsonObject } from '../../../base/core/json.ts';
import { readSipHeaders } from '../../../base/core/sip-headers.ts';
import type { DialRequest } from '../engine.ts';

export interface OutboundChannel {
  /** Body of `channels/create`. */
  body: JsonObject;
  ringTimeoutMs: number;
}

const NUMBER = /^\+?[0-9*#]{1,32}$/;
/** Excludes separators of Asterisk's dial strings and variables, which could do more than address a party. */
const SIP_ADDRESS = /^sips?:[^\s&,()${}\\"'|[\]]{1,256}$/;
const USER = /^user:([\w.+-]{1,64})$/;

/** Undefined if the party cannot be called. `trunk`: endpoint of `pjsip.conf` for numbers. */
export function outboundChannel(
  { from, fromName, to, headers, ringTimeoutMs }: DialRequest,
  { application, trunk }: { application: string; trunk: string },
): OutboundChannel | undefined {
  const endpoint = endpointOf(to, trunk);
  if (endpoint === undefined) return undefined;
  const variables: JsonObject = {
    'CALLERID(num)': plain(from),
    'CONNECTEDLINE(num,i)': plain(from),
    ...(fromName === undefined ? {} : { 'CALLERID(name)': plain(fromName), 'CONNECTEDLINE(name,i)': plain(fromName) }),
  };
  for (const [name, value] of Object.entries(readSipHeaders(headers ?? {}).headers)) {
    if (/^[\w-]+$/.test(name)) variables[`PJSIP_HEADER(add,${name})`] = value;
  }
  return { body: { endpoint, app: application, variables }, ringTimeoutMs };
}

function endpointOf(to: string, trunk: string): string | undefined {
  if (NUMBER.test(to)) return `PJSIP/${to}@${trunk}`;
  if (SIP_ADDRESS.test(to)) return `PJSIP/${trunk}/${to}`;
  const user = USER.exec(to)?.[1];
  return user === undefined ? undefined : `PJSIP/${user}`;
}

/** Removes characters of expressions, which Asterisk would evaluate in variables. */
const plain = (text: string): string => text.replace(/[\x00-\x1f\x7f${}"\\]/g, '').slice(0, 128);
