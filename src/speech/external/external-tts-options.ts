/** The configuration of an external engine for text to speech (`speech.tts[]`). */
import type { Voice } from '../../core/leg.ts';

export interface ExternalTtsOptions {
  engine: 'http' | 'openai';
  /** In logs and faults; never the address, which may carry a key. */
  name: string;
  url: string;
  key?: string;
  /** `http`: sent with every request; values may be secrets. */
  headers: Readonly<Record<string, string>>;
  /** What the engine calls its voices; one of `female` and `male` is enough. Other keys are names that flows use. */
  voices: Readonly<Partial<Record<Voice, string>> & { [name: string]: string }>;
  /** BCP 47. */
  languages: readonly string[];
  /** `openai`: e.g. `gpt-4o-mini-tts`. */
  model?: string;
  /** `http`: whether it takes whole documents. */
  input: 'text' | 'ssml';
  /** The requested format; that of a response is detected from its content. */
  format: 'wav' | 'pcm' | 'ulaw';
  /** Of `pcm`, which does not tell. */
  sampleRateHz: number;
  /** Manners of speaking that it has itself. */
  styles: readonly string[];
  /** For one sentence. */
  timeoutMs: number;
}
