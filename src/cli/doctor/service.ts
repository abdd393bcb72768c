/** Checks the running service of this configuration, if there is one: readiness and carrier state. */
import { onOneLine } from '../../base/core/control-characters.ts';
import { isObject, type JsonObject, parseJson } from '../../base/core/json.ts';
import type { Config } from '../../config.ts';
import { urlOf } from '../service-client.ts';
import { type DoctorResult, failed, ok, warning } from './finding.ts';

const ANSWER_TIMEOUT_MS = 2000;
const SERVICE = 'service';
const CARRIER = 'carrier';
const STATES: Readonly<Record<string, readonly [found: string, remedy: string]>> = {
  sip_gateway_registered: [
    'does not accept the registration',
    'see sip.not_registered in the log: with 401 or 403, user and password of the route; else ask the carrier',
  ],
  sip_gateway_up: ['does not answer OPTIONS', 'see sip.gateway_down in the log, and ask the carrier'],
};

export async function checkService({ http, admin }: Config): Promise<DoctorResult[]> {
  const url = urlOf(http);
  const health = parseJson((await read(`${url}/health`)) ?? '');
  if (!isObject(health) || typeof health['status'] !== 'string') return [];
  const token = admin.tokens[0]?.token;
  const metrics = await read(`${url}/metrics`, token === undefined ? {} : { authorization: `Bearer ${token}` });
  return [healthFinding(health, url), ...carrierFindings(metrics ?? '')];
}

export function healthFinding(health: JsonObject, url: string): DoctorResult {
  const status = onOneLine(String(health['status']));
  if (status === 'failing') {
    const since = health['since'] === undefined ? '' : `, since ${onOneLine(String(health['since']))}`;
    const means = onOneLine(String(health['means'] ?? health['why'] ?? 'see its log'));
    return failed(SERVICE, `refuses new calls: ${means}${since}`, onOneLine(String(health['remedy'] ?? 'see its log')));
  }
  if (status === 'ok' || status === 'degraded') return ok(SERVICE, `accepts calls at ${url}`);
  return warning(SERVICE, `refuses new calls: it is ${status}`, 'run callweave drain --cancel, or restart it');
}

/** Reads the findings from metrics in the text format of Prometheus. */
export function carrierFindings(metrics: string): DoctorResult[] {
  const lines = [...metrics.matchAll(/^callweave_(sip_gateway_registered|sip_gateway_up)\{(.*)\} ([01])$/gm)];
  const bad = lines.flatMap(([, name = '', labels = '', value]): DoctorResult[] => {
    if (value === '1') return [];
    const label = (key: string): string => onOneLine(new RegExp(`\\b${key}="([^"]*)"`).exec(labels)?.[1] ?? '');
    const [found, remedy] = STATES[name]!;
    return [failed(CARRIER, `${label('gateway')} of route ${label('route')} ${found}`, remedy)];
  });
  const gateways = new Set(lines.map(([, , labels]) => labels)).size;
  if (bad.length > 0 || gateways === 0) return bad;
  return [ok(CARRIER, `${gateways === 1 ? 'the probed gateway answers' : `all ${gateways} probed gateways answer`}`)];
}

async function read(url: string, headers: Record<string, string> = {}): Promise<string | undefined> {
  try {
    return await (await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })).text();
  } catch {
    return undefined;
  }
}
