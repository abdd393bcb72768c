/** Reads the section `speech`: engines for synthesis and recognition in addition to the built-in ones. */
import { quoting } from '../base/core/diagnostic.ts';
import { parseDuration } from '../base/core/duration.ts';
import { defined } from '../base/core/json.ts';
import { namedVoices } from '../base/core/voice.ts';
import { childPointer } from '../base/schema/document.ts';
import type { ExternalTtsOptions } from '../media/speech/external/external-tts-options.ts';
import type { RecognizerConfig } from '../media/speech/recognition/transcriber.ts';
import type { ConfigContext } from './config-context.ts';
import type { ConfigFile } from './config-file.ts';

type SpeechSection = ConfigFile['speech'];

export function readTts(engines: SpeechSection['tts'], context: ConfigContext): ExternalTtsOptions[] {
  return engines.map((entry, index) => {
    const { engine, name: _name, key, headers, format, sample_rate: rate, styles, timeout, requests, ...rest } = entry;
    const at = `/speech/tts/${index}`;
    const isOpenai = engine === 'openai';
    if (entry.voices.female === undefined && entry.voices.male === undefined) {
      const hint = 'such as { female: nova, Joanna: en-US-Joanna }';
      context.report('wrong-value', 'the engine needs a female or a male voice', `${at}/voices`, hint);
    }
    return defined<ExternalTtsOptions>({
      ...rest,
      engine,
      name: nameOf(entry, index),
      key: context.optionalSecret(key, `${at}/key`),
      headers: context.secrets(headers, `${at}/headers`),
      format: format ?? (isOpenai ? 'pcm' : 'wav'),
      sampleRateHz: rate ?? (isOpenai ? 24_000 : 8000),
      styles: styles.map((style) => style.toLowerCase()),
      timeoutMs: parseDuration(timeout)!,
      maxRequests: requests,
    });
  });
}

const nameOf = ({ name, engine }: SpeechSection['tts'][number], index: number): string =>
  name ?? `${engine}-${index + 1}`;

/** Voice names for flows: each name alone, and prefixed with the name of its engine. */
export const configuredVoices = (engines: SpeechSection['tts']): string[] =>
  engines.flatMap((entry, index) =>
    namedVoices(entry.voices).flatMap(({ name }) => [name, `${nameOf(entry, index)}.${name}`]),
  );

export function readAsr(engines: SpeechSection['asr'], context: ConfigContext): RecognizerConfig[] {
  return engines.map((entry, index) => {
    const { engine, url, key, model, library, languages, sessions, threads, preload, timeout, requests } = entry;
    const at = `/speech/asr/${index}`;
    const isEmbedded = engine === 'vosk';
    for (const name of isEmbedded ? ['url', 'key', 'timeout', 'requests'] : ['library', 'threads', 'preload']) {
      if (name in entry)
        context.report('wrong-keys', quoting`${name} does not apply to ${engine}`, childPointer(at, name));
    }
    if (!isEmbedded && url === undefined) context.report('wrong-keys', quoting`${engine} needs a url`, at);
    return defined<RecognizerConfig>({
      engine,
      url,
      key: context.optionalSecret(key, `${at}/key`),
      model: isEmbedded && model !== undefined ? context.path(model) : model,
      library: library === undefined ? undefined : context.path(library),
      languages,
      maxSessions: sessions,
      threads,
      preload: preload || undefined,
      timeoutMs: timeout === undefined ? undefined : parseDuration(timeout),
      maxRequests: requests,
    });
  });
}
