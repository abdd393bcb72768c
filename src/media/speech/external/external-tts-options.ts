/** Configuration of an external text-to-speech engine (`speech.tts[]`). */
import type { Voice } from '../../../base/core/leg.ts';

export interface ExternalTtsOptions {
  engine: 'http' | 'openai';
  /** Name for logs and faults. The URL is never logged, because it may contain a key. */
  name: string;
  url: string;
  key?: string;
  /** For `http`: sent with every request. Values may be secrets. */
  headers: Readonly<Record<string, string>>;
  /** Names of the engine's voices. Either `female` or `male` is sufficient. Other keys are voice names for flows. */
  voices: Readonly<Partial<Record<Voice, string>> & { [name: string]: string }>;
  /** BCP 47. */
  languages: readonly string[];
  /** For `openai`, e.g. `gpt-4o-mini-tts`. */
  model?: string;
  /** For `http`: `ssml` if the engine accepts whole documents. */
  input: 'text' | 'ssml';
  /** Requested format. That of a response is detected from its content. */
  format: 'wav' | 'pcm' | 'ulaw';
  /** Sample rate of `pcm`, whose data does not contain it. */
  sampleRateHz: number;
  /** Speaking styles that the engine supports itself. */
  styles: readonly string[];
  /** Timeout for one sentence, from the start of its request. */
  timeoutMs: number;
  /** Maximum number of concurrent requests. */
  maxRequests: number;
}
