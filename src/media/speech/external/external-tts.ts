/**
 * Text to speech by an external engine, sentence by sentence. `http`: POST of JSON, answered with audio; a small
 * gateway can adapt it to any service. `openai`: `POST /v1/audio/speech` and compatible services. Projects take turns
 * sentence by sentence.
 */
import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../../../base/core/clock.ts';
import type { Voice } from '../../../base/core/leg.ts';
import { namedVoices } from '../../../base/core/voice.ts';
import { createHttpClient } from '../../../base/http/http-client.ts';
import { AudioError } from '../../telephony/audio.ts';
import { RequestTurns } from '../request-turns.ts';
import { splitSentences } from '../sentences.ts';
import { clampFactor, refusalOf, type SpeechRequest, type Synthesizer, synthesisFailed } from '../synthesizer.ts';
import { answerSound } from './answer-sound.ts';
import type { ExternalTtsOptions } from './external-tts-options.ts';
import { requestSpeech } from './http-exchange.ts';

const KINDS: readonly Voice[] = ['female', 'male'];

/** Version of the local post-processing, which affects the sound as the engine does. */
const PROCESSING = 1;

export function createExternalTts(options: ExternalTtsOptions, clock: Clock = systemClock): Synthesizer {
  const stopping = new AbortController();
  const client = createHttpClient({ clock });
  const turns = new RequestTurns(options.maxRequests);
  const voices = KINDS.filter((voice) => options.voices[voice] !== undefined).flatMap((voice) =>
    options.languages.map((language) => ({ language, voice })),
  );
  const { key, timeoutMs } = options;
  const url = new URL(options.url);
  const headers = { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...options.headers };
  const bodyOf = options.engine === 'openai' ? openai(options) : http(options);

  const speak = async (text: string, request: SpeechRequest, signal: AbortSignal): Promise<Int16Array> => {
    if (stopping.signal.aborted) throw synthesisFailed('the engine was stopped');
    const message = { url, headers, body: JSON.stringify(bodyOf(text, request)), timeoutMs };
    const turn = { projectId: request.projectId, signal: AbortSignal.any([signal, stopping.signal]) };
    const answer = await turns.run(turn, () => requestSpeech(client, message, signal, stopping.signal));
    const pcm = answerSound(answer, options);
    if (pcm.length === 0) throw synthesisFailed('the engine made no sound');
    return pcm;
  };

  const engine: Synthesizer = {
    name: options.name,
    version: `${versionOf(options)}-${PROCESSING}`,
    capabilities: {
      voices,
      named: namedVoices(options.voices),
      styles: options.styles,
      ...(options.engine === 'http' && options.input === 'ssml' ? { ssml: true } : {}),
    },
    async *synthesize(request, signal) {
      const refusal = refusalOf(engine, request);
      if (refusal) throw new AudioError(refusal);
      signal.throwIfAborted();
      const isDocument = request.ssml !== undefined && engine.capabilities.ssml;
      const pieces = isDocument ? [request.text] : splitSentences(request.text, request.language);
      for (const piece of pieces) {
        // Services charge for empty sentences or reject them.
        if (/[\p{L}\p{N}]/u.test(piece)) yield await speak(piece, request, signal);
      }
    },
    async stop() {
      stopping.abort(synthesisFailed('the engine was stopped'));
      await client.close();
    },
  };
  return engine;
}

type RequestBody = (text: string, request: SpeechRequest) => object;

function http({ voices, format, sampleRateHz, input }: ExternalTtsOptions): RequestBody {
  return (text, { language, voice, voiceName, rate, pitch, style, ssml }) => ({
    ...(input === 'ssml' && ssml !== undefined ? { ssml } : { text }),
    voice: voiceName ?? voices[voice],
    language,
    rate: clampFactor(rate),
    pitch: clampFactor(pitch),
    style,
    format,
    sample_rate: format === 'ulaw' ? 8000 : sampleRateHz,
  });
}

/** Speed is its only numeric parameter; a style is requested in words. */
function openai({ voices, format, model = 'gpt-4o-mini-tts' }: ExternalTtsOptions): RequestBody {
  return (text, { voice, voiceName, rate, style }) => ({
    model,
    input: text,
    voice: voiceName ?? voices[voice],
    response_format: format === 'wav' ? 'wav' : 'pcm',
    speed: clampFactor(rate),
    instructions: style && `Speak in a ${style.replaceAll('_', ' ')} manner.`,
  });
}

/**
 * Changes with everything that affects the sound, but not with credentials, nor with the host and port at which the
 * engine is reached. The path and the query of the URL may select a voice.
 */
function versionOf({ engine, url, model, voices, input, format, sampleRateHz, styles }: ExternalTtsOptions): string {
  const { pathname, search } = new URL(url);
  const parts = [engine, pathname + search, model, voices, input, format, sampleRateHz, styles];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
