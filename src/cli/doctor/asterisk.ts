/** Checks the configured Asterisk: reachability, credentials and required modules. */
import { systemClock } from '../../base/core/clock.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { createHttpClient } from '../../base/http/http-client.ts';
import type { AsteriskConfig } from '../../config/asterisk-config.ts';
import { AriClient, type AriReply, ariPath } from '../../media/telephony/asterisk/ari-client.ts';
import { type DoctorResult, failed, ok } from './finding.ts';

const SUBJECT = 'Asterisk';
const OLDEST_MAJOR = 22;
/** Modules that calls or some of their steps require. */
const MODULES = [
  ...['app_stasis', 'bridge_holding', 'bridge_softmix', 'chan_pjsip', 'format_sln', 'format_wav', 'func_talkdetect'],
  ...['res_ari_applications', 'res_ari_bridges', 'res_ari_channels', 'res_ari_events', 'res_ari_playbacks'],
  ...['res_ari_recordings', 'res_pjsip_header_funcs', 'res_pjsip_rfc3326'],
  ...['res_stasis_answer', 'res_stasis_playback', 'res_stasis_recording', 'res_stasis_snoop'],
];
const MODULES_CONF = 'load them in modules.conf, and install those that are missing';

/** No findings for the built-in engine. */
export async function checkAsterisk(asterisk: AsteriskConfig | undefined): Promise<DoctorResult[]> {
  if (!asterisk) return [];
  const http = createHttpClient({ clock: systemClock, policy: { privateTargets: 'allowed' } });
  const { request } = new AriClient(asterisk, {
    ...{ http, clock: systemClock },
    ...{ event: () => undefined, up: () => undefined, down: () => undefined },
  });
  try {
    const info = await request('GET', 'asterisk/info');
    const problem = problemOf(info, asterisk);
    if (problem) return [problem];
    const [modules, trunk] = await Promise.all([
      request('GET', 'asterisk/modules'),
      request('GET', ariPath('endpoints', 'PJSIP', asterisk.trunk)),
    ]);
    return [
      checkVersion(info, asterisk.url),
      checkModules(modules.body),
      ...(hasModule(modules.body, 'res_ari_endpoints') ? [checkTrunk(trunk, asterisk.trunk)] : []),
    ];
  } finally {
    await http.close();
  }
}

function problemOf({ status, why }: AriReply, { url, user }: AsteriskConfig): DoctorResult | undefined {
  switch (status) {
    case 200:
      return undefined;
    case 0:
      return failed(SUBJECT, `no response from ${url}${why ? ` (${why})` : ''}`, 'start Asterisk, or set asterisk.url');
    case 401:
    case 403:
      return failed(
        SUBJECT,
        `${url} rejects the password of ${user}`,
        'set the same password in ari.conf and asterisk.password',
      );
    case 404:
      return failed(
        SUBJECT,
        `no REST interface at ${url}`,
        'set enabled = yes in http.conf and ari.conf, load res_ari_asterisk, and end asterisk.url with /ari',
      );
    default:
      return failed(SUBJECT, `${url} answers ${status}`, 'see the log of Asterisk');
  }
}

function checkVersion({ body }: AriReply, url: string): DoctorResult {
  const version = String(memberOf(memberOf(body, 'system'), 'version') ?? 'of an unknown version');
  const major = Number(/^(?:\D*)(\d+)/.exec(version)?.[1]);
  if (major >= OLDEST_MAJOR) return ok(SUBJECT, `${version.slice(0, 40)} at ${url}`);
  return failed(SUBJECT, `is ${version.slice(0, 40)}`, `install Asterisk ${OLDEST_MAJOR} or later`);
}

function checkModules(modules: Json | undefined): DoctorResult {
  const subject = 'its modules';
  const lacking = MODULES.filter((name) => !hasModule(modules, name));
  if (lacking.length === 0) return ok(subject, 'all required modules are loaded');
  return failed(subject, `${lacking.join(', ')} ${lacking.length === 1 ? 'is' : 'are'} not loaded`, MODULES_CONF);
}

function checkTrunk({ status, body }: AriReply, trunk: string): DoctorResult {
  const subject = 'its trunk';
  if (status === 200) return ok(subject, `${trunk} is ${String(memberOf(body, 'state') ?? 'there').slice(0, 40)}`);
  return failed(subject, `pjsip.conf has no endpoint ${trunk}`, 'add it there, or set asterisk.trunk');
}

const hasModule = (modules: Json | undefined, wanted: string): boolean =>
  Array.isArray(modules) &&
  modules.some((each) => memberOf(each, 'name') === `${wanted}.so` && memberOf(each, 'status') === 'Running');

const memberOf = (value: Json | undefined, name: keyof JsonObject): Json | undefined =>
  isObject(value) ? value[name] : undefined;
