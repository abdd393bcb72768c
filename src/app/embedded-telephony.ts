/** Telephony with the embedded SIP engine: media, voices and speech recognition in this process. */
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { faultIn } from '../base/core/fault.ts';
import type { FigureSource } from '../base/core/figures.ts';
import type { Log, LogFields } from '../base/core/log.ts';
import { lookupForUrl } from '../base/http/ssrf-guard.ts';
import { createRecognizers } from '../media/speech/recognizers.ts';
import { GatewayLegs } from '../media/telephony/browser/gateway-legs.ts';
import { createMedia } from '../media/telephony/media/media.ts';
import { watchCertificates } from '../media/telephony/sip/certificate-watch.ts';
import { createSipEngine } from '../media/telephony/sip/engine.ts';
import type { SipEnginePorts } from '../media/telephony/sip/engine-options.ts';
import { expiryOf, readTlsFiles } from '../media/telephony/sip/tls-files.ts';
import { checkCertificates, checkValidity } from '../media/telephony/sip/transport-tls.ts';
import { projectShare } from '../service/calls/capacity.ts';
import { createRoutability } from '../service/calls/numbers/routability.ts';
import { userKey } from '../service/calls/settings/settings.ts';
import type { Base } from './base.ts';
import type { Provisioning } from './provisioning.ts';
import { createSounds } from './sounds.ts';
import type { Telephony } from './telephony.ts';

export function embeddedTelephony(
  base: Base,
  { projects, settings, targets }: Provisioning,
  { tap, shared }: Pick<SipEnginePorts, 'tap' | 'shared'> = {},
): Telephony {
  const { config, clock, ids, random, log, isQuarantined } = base;
  const { rtpPorts, rtpSockets, host, tls, ...options } = config.sip;
  const { audio, speech, close } = createSounds(base, { targets });
  const asr = isQuarantined ? [] : config.asr;
  const recognizers = createRecognizers({
    ...{ entries: asr, dataDirectory: config.dataDirectory, clock },
    measured: speech.transcriber,
    shareOf: (sessions) => projectShare({}, { calls: sessions }, () => projects.list().length > 1),
  });
  recognizers.start().catch((error: unknown) => log.error('recognition.failed', { why: faultIn(error)?.message }));
  const media = createMedia({
    ...{ host, portRange: rtpPorts, sockets: rtpSockets, threads: config.limits.mediaThreads, audio, log },
    recordDirectory: resolve(config.dataDirectory),
    recognizer: recognizers,
    streamLookup: (url) => lookupForUrl(url, targets),
    // In quarantine, no external service is contacted.
    agents: () => (isQuarantined ? [] : base.state.config.assistants),
  });
  const allowSipUris = () => base.state.config.sip.allowSipUris;
  /** In quarantine, neither users nor this service register, and no gateway is probed. */
  const lines = () => ({
    users: isQuarantined ? [] : settings.users.values(),
    routes: isQuarantined ? [] : settings.routes.list().map(({ key, value }) => ({ ...value, name: key })),
    allowSipUris: allowSipUris(),
  });
  let certificates = tls && readTlsFiles(tls);
  const stopWatching = certificates && watchCertificates(() => expiryOf(certificates!), { clock, log });
  const writeLog = (
    level: keyof Pick<Log, 'debug' | 'info' | 'warn' | 'error'>,
    message: string,
    fields?: LogFields,
  ): void => log[level](message, fields);
  const engine = createSipEngine(
    { host, ...options, ...lines(), ...(certificates ? { tls: certificates } : {}) },
    { media, clock, ids, random, log: writeLog, tap, ...(shared ? { shared } : {}) },
  );
  const browserLegs = new GatewayLegs({
    ...{ carrier: engine.attached, media, clock },
    log: (message, fields) => log.warn(message, fields),
  });
  // Effective from the next call on.
  for (const changing of [settings.users, settings.routes]) changing.watch(() => engine.configure(lines()));
  return {
    engine,
    browsers: (gateway) => browserLegs.behind(gateway),
    sounds: audio,
    reaches: createRoutability({
      allowSipUris,
      routes: () => settings.routes.values(),
      hasUser: (name) => settings.users.find(userKey(name)) !== undefined,
    }),
    address: () => engine.address(),
    figures: [
      engine.figures,
      media.figures,
      speech,
      browserFigures(browserLegs),
      certificateFigures(() => certificates && expiryOf(certificates)),
    ],
    registrations: () => engine.registrations(),
    carriers: () => engine.carriers(),
    phonesOf: (user) => engine.phonesOf(user),
    ...(certificates ? { certificateExpiryMs: () => expiryOf(certificates!) } : {}),
    acceptCalls: (isAccepting) => engine.acceptCalls(isAccepting),
    prepareCertificates({ tls: files }) {
      // If TLS was not configured at the start, there is no listener for it.
      const read = tls && files && readTlsFiles(files);
      if (!read) return { isChanged: false, use: () => undefined };
      checkCertificates(read);
      const isChanged = !isDeepStrictEqual(read, certificates);
      // A certificate that has expired since the start does not prevent other changes.
      if (isChanged) checkValidity(read, clock.now());
      return {
        isChanged,
        use() {
          certificates = read;
          engine.renewTls(read);
        },
      };
    },
    get recognition() {
      return recognizers.engines;
    },
    recognizer: recognizers,
    phoneSound: media,
    mixLinks: media,
    async release() {
      stopWatching?.();
      // Ends also the threads of an engine whose start failed midway.
      await media.stop();
      await recognizers.stop();
      await close();
    },
  };
}

const browserFigures = (legs: Pick<GatewayLegs, 'count'>): FigureSource => ({
  figures: [{ name: 'browser_legs', type: 'gauge', help: 'Legs of browser phones', read: () => legs.count }],
});

const certificateFigures = (expiryMs: () => number | undefined): FigureSource => ({
  figures: [
    {
      name: 'tls_certificate_expiry_timestamp_seconds',
      type: 'gauge',
      help: 'Earliest expiry of a TLS certificate, in seconds since 1970; absent if there is none',
      read() {
        const ms = expiryMs();
        return ms === undefined ? undefined : ms / 1000;
      },
    },
  ],
});
