/** Our own SIP engine, with media, voices and speech recognition in this process. */
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { PromptAudio } from '../calls/play-order.ts';
import { createRoutability } from '../calls/routability.ts';
import { userKey } from '../calls/settings/settings.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../core/clock.ts';
import { faultIn } from '../core/fault.ts';
import type { FigureSource } from '../core/figures.ts';
import type { Log, LogFields } from '../core/log.ts';
import type { SipTap } from '../core/sip-capture.ts';
import { createHttpClient } from '../http/http-client.ts';
import { lookupForUrl } from '../http/ssrf-guard.ts';
import type { PhoneSound } from '../rooms/phone-sound.ts';
import { createAudioLibrary } from '../speech/audio-library.ts';
import { createExternalTts } from '../speech/external/external-tts.ts';
import { createFlite } from '../speech/flite/flite.ts';
import { createPico } from '../speech/pico/pico.ts';
import { SYSTEM_VOICES_DIRECTORY, voicesDirectory } from '../speech/pico/voice-data.ts';
import { createRecognizers, type Recognizers } from '../speech/recognition/recognizers.ts';
import { createRemoteSounds } from '../speech/remote-sounds.ts';
import { createSpeechFigures } from '../speech/speech-figures.ts';
import type { Synthesizer } from '../speech/synthesizer.ts';
import { BrowserEngine } from '../telephony/browser/browser-engine.ts';
import type { LineGateway } from '../telephony/browser/line-gateway.ts';
import type { BrowserLegs } from '../telephony/browser-legs.ts';
import type { Engine } from '../telephony/engine.ts';
import { createMedia } from '../telephony/media/media.ts';
import { createSipEngine } from '../telephony/sip/engine.ts';
import type { SipAddress } from '../telephony/sip/engine-options.ts';
import { expiryOf, readTlsFiles } from '../telephony/sip/tls-files.ts';
import { checkCertificates } from '../telephony/sip/transport-tls.ts';
import type { Base } from './base.ts';
import type { Provisioning } from './provisioning.ts';

export interface Telephony {
  engine: Engine;
  sounds: PromptAudio;
  reaches?(to: string): boolean;
  /** Calls from browsers; absent: the engine has none. */
  browsers?(gateway: LineGateway): BrowserLegs;
  /** Where calls come in; known after the start. */
  address?(): SipAddress;
  /** For metrics. */
  figures?: readonly FigureSource[];
  /** For health. */
  registrations?(): { wanted: number; registered: number };
  /** Whether new calls are taken; those that go on go on. */
  acceptCalls?(isAccepting: boolean): void;
  /** Reads the certificates of a configuration. Throws when they cannot be used; nothing changes before `use`. */
  prepareCertificates?(sip: Config['sip']): { isChanged: boolean; use(): void };
  recognition?: Recognizers['engines'];
  /** For rooms: how browsers and telephones hear each other. */
  phoneSound?: PhoneSound;
  /** Frees what is left when the engine is stopped, or was never started. */
  release?(): Promise<void>;
}

export function embeddedTelephony(base: Base, { settings, targets }: Provisioning, tap?: SipTap): Telephony {
  const { config, clock, ids, random, log, isQuarantined } = base;
  const { rtpPorts, host, tls, ...options } = config.sip;
  const speech = createSpeechFigures(clock);
  // In quarantine only what is inside.
  const { tts, asr } = isQuarantined ? { tts: [], asr: [] } : config;
  const synthesizers = synthesizersOf({ ...config, tts }, clock).map(speech.synthesizer);
  const fetcher = createHttpClient({ clock, policy: targets, connections: 16 });
  const audio = createAudioLibrary({
    ...{ synthesizers, clock, cacheDirectory: join(config.dataDirectory, 'speech'), log },
    // In quarantine nothing leaves the service.
    ...(!isQuarantined && {
      remote: createRemoteSounds({ client: fetcher, directory: join(config.dataDirectory, 'remote-sounds'), clock }),
    }),
  });
  const recognizers = createRecognizers({
    ...{ entries: asr, dataDirectory: config.dataDirectory, clock },
    measured: speech.transcriber,
  });
  recognizers.start().catch((error: unknown) => log.error('recognition.failed', { why: faultIn(error)?.message }));
  const media = createMedia({
    ...{ host, portRange: rtpPorts, threads: config.limits.mediaThreads, audio, log },
    recordDirectory: resolve(config.dataDirectory),
    recognizer: recognizers,
    streamLookup: (url) => lookupForUrl(url, targets),
    // In quarantine nobody outside is spoken to.
    agents: () => (isQuarantined ? [] : base.state.config.assistants),
  });
  const allowSipUris = () => base.state.config.sip.allowSipUris;
  /** In quarantine nobody registers, neither here nor there, and no gateway is probed. */
  const lines = () => ({
    users: isQuarantined ? [] : settings.users.values(),
    routes: isQuarantined ? [] : settings.routes.list().map(({ key, value }) => ({ ...value, name: key })),
    allowSipUris: allowSipUris(),
  });
  let certificates = tls && readTlsFiles(tls);
  const writeLog = (
    level: keyof Pick<Log, 'debug' | 'info' | 'warn' | 'error'>,
    message: string,
    fields?: LogFields,
  ): void => log[level](message, fields);
  const sip = createSipEngine(
    { host, ...options, ...lines(), ...(certificates ? { tls: certificates } : {}) },
    { media, clock, ids, random, log: writeLog, tap },
  );
  const engine = new BrowserEngine(sip, { media, clock, log: writeLog });
  // From the next call on.
  for (const changing of [settings.users, settings.routes]) changing.watch(() => sip.configure(lines()));
  return {
    engine,
    browsers: (gateway) => engine.browsers(gateway),
    sounds: audio,
    reaches: createRoutability({
      allowSipUris,
      routes: () => settings.routes.values(),
      hasUser: (name) => settings.users.find(userKey(name)) !== undefined,
    }),
    address: () => sip.address(),
    figures: [
      sip.figures,
      media.figures,
      speech,
      browserFigures(engine),
      certificateFigures(() => certificates && expiryOf(certificates)),
    ],
    registrations: () => sip.registrations(),
    acceptCalls: (isAccepting) => sip.acceptCalls(isAccepting),
    prepareCertificates({ tls: files }) {
      // Where there was no TLS at the start, nothing listens for it.
      const read = tls && files && readTlsFiles(files);
      if (!read) return { isChanged: false, use: () => undefined };
      checkCertificates(read);
      return {
        isChanged: !isDeepStrictEqual(read, certificates),
        use() {
          certificates = read;
          sip.renewTls(read);
        },
      };
    },
    get recognition() {
      return recognizers.engines;
    },
    phoneSound: media,
    async release() {
      // Threads of an engine whose start failed half way.
      await media.stop();
      for (const synthesizer of synthesizers) await synthesizer.stop();
      await recognizers.stop();
      await fetcher.close();
    },
  };
}

const browserFigures = (engine: Pick<BrowserEngine, 'count'>): FigureSource => ({
  figures: [{ name: 'browser_legs', type: 'gauge', help: 'Legs of calls from browsers', read: () => engine.count }],
});

const certificateFigures = (expiryMs: () => number | undefined): FigureSource => ({
  figures: [
    {
      name: 'tls_certificate_expiry_timestamp_seconds',
      type: 'gauge',
      help: 'When the first of the TLS certificates expires, in seconds since 1970; absent: there is none',
      read() {
        const ms = expiryMs();
        return ms === undefined ? undefined : ms / 1000;
      },
    },
  ],
});

/** External engines first: somebody configured them. Of those inside, the one with both voices comes first. */
function synthesizersOf(config: Config, clock: Clock): Synthesizer[] {
  const directories = [voicesDirectory(config.dataDirectory), SYSTEM_VOICES_DIRECTORY];
  return [
    ...config.tts.map((engine) => createExternalTts(engine, clock)),
    createFlite({ clock }),
    createPico({ directories, clock }),
  ];
}
