/** Checks external parts: certificates, voices, speech recognition and system programs. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { findProgram } from '../../base/core/find-program.ts';
import { reasonOf } from '../../base/core/reason-of.ts';
import type { Config } from '../../config.ts';
import { isBuiltHere } from '../../media/rooms/embedded/engine.ts';
import {
  installedVoices,
  PICO_VOICES,
  SYSTEM_VOICES_DIRECTORY,
  voicesDirectory,
} from '../../media/speech/pico/voice-data.ts';
import { missingFiles, modelsDirectory, voskFiles } from '../../media/speech/vosk/model-files.ts';
import { type DoctorResult, failed, ok, warning } from './finding.ts';

const DAY_MS = 86_400_000;
/** Renewals are due when a third of the validity is left, which is about two weeks for certificates of 47 days. */
const SOON_DAYS = 14;

export function checkCertificates({ sip: { tls } }: Config, nowMs: number): DoctorResult[] {
  if (tls === undefined) return [ok('certificate', 'none: SIP is not encrypted')];
  return [{ cert: tls.cert, key: tls.key }, ...tls.clients].map((files) => checkCertificate(files, nowMs));
}

export function checkCertificate({ cert, key }: { cert: string; key: string }, nowMs: number): DoctorResult {
  const subject = 'certificate';
  try {
    const certificate = new X509Certificate(readFileSync(cert));
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(key)))) {
      return failed(subject, `${key} is not the key of ${cert}`, 'set a matching pair of files');
    }
    const days = Math.floor((certificate.validToDate.getTime() - nowMs) / DAY_MS);
    const names = certificate.subjectAltName ?? certificate.subject.replaceAll('\n', ', ');
    const found = `${names}: ${days < 0 ? 'expired' : `valid for ${days} days`}`;
    const remedy = `renew ${cert}, then send SIGHUP`;
    if (days < 0) return failed(subject, found, remedy);
    return days < SOON_DAYS ? warning(subject, found, remedy) : ok(subject, found);
  } catch (error) {
    return failed(subject, reasonOf(error), 'set sip.tls.cert and sip.tls.key to PEM files');
  }
}

export function checkVoices({ dataDirectory, tts }: Config, command: string): DoctorResult {
  const installed = installedVoices([voicesDirectory(dataDirectory), SYSTEM_VOICES_DIRECTORY]);
  const languages = [...new Set(['en-US', ...installed.map(({ language }) => language)])];
  const engines = tts.length > 0 ? `, and ${tts.length} of other engines` : '';
  const found = `${languages.join(', ')}${engines}`;
  const isAll = PICO_VOICES.every(({ language }) => languages.includes(language));
  return isAll || tts.length > 0
    ? ok('voices', found)
    : warning('voices', `${found} only`, `${command} voices fetch  installs those of other languages`);
}

export function checkRecognition({ dataDirectory, asr }: Config, command: string): DoctorResult {
  if (asr.length > 0)
    return ok('recognition', `${asr.length === 1 ? 'an engine' : `${asr.length} engines`} of your own`);
  const missing = missingFiles(voskFiles(modelsDirectory(dataDirectory)));
  return missing
    ? warning('recognition', 'is not installed: callers can press keys, but not speak', `${command} models install`)
    : ok('recognition', 'is installed');
}

export async function checkRooms({ video: { engine } }: Config, folders: readonly string[]): Promise<DoctorResult[]> {
  return [
    await checkRoomEngine(engine, folders),
    (await findProgram('ffmpeg', folders))
      ? ok('ffmpeg', 'is installed')
      : warning(
          'ffmpeg',
          'is not installed: recordings of rooms stay one file for each participant',
          'install the package ffmpeg',
        ),
  ];
}

async function checkRoomEngine(engine: Config['video']['engine'], folders: readonly string[]): Promise<DoctorResult> {
  const subject = 'rooms';
  if (engine === 'embedded') {
    const system = `${process.platform}-${process.arch}`;
    return isBuiltHere()
      ? ok(subject, 'the built-in engine')
      : warning(subject, `no media engine for ${system}: rooms have no media`, 'install without --omit=optional');
  }
  if ('nodes' in engine) return ok(subject, `Janus at ${engine.nodes.map(({ url }) => url).join(', ')}`);
  return (await findProgram(engine.program, folders))
    ? ok(subject, `Janus, started as ${engine.program}`)
    : failed(subject, `program not found: ${engine.program}`, 'install the package janus, or remove video.engine');
}
