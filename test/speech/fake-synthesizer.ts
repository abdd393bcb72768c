/** A synthesizer under the control of a test: it speaks on command, and counts requests. */
import {
  type NamedVoice,
  refusalOf,
  type SpeechRequest,
  type Synthesizer,
  type SynthesizerVoice,
} from '../../src/media/speech/synthesizer.ts';
import { AudioError } from '../../src/media/telephony/audio.ts';

export interface FakeSynthesizer extends Synthesizer {
  readonly requests: SpeechRequest[];
  readonly aborted: number;
  /** Speaks all waiting and all later sentences. */
  release(): void;
  /** Fails all requests from now on with this error. */
  breakWith(error: Error): void;
}

/** One sample per character of the text, eight characters per millisecond. */
export function fakeSynthesizer(
  options: {
    held?: boolean;
    /** Number of sentences that are spoken before it waits. */
    heldAfter?: number;
    voices?: SynthesizerVoice[];
    named?: NamedVoice[];
    styles?: string[];
    ssml?: boolean;
    version?: string;
    name?: string;
  } = {},
): FakeSynthesizer {
  const requests: SpeechRequest[] = [];
  let aborted = 0;
  let broken: Error | undefined;
  let held = options.held ?? false;
  let waiting: (() => void)[] = [];
  const wait = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      waiting.push(resolve);
      signal.addEventListener('abort', () => {
        aborted++;
        reject(signal.reason);
      });
    });
  const fake: FakeSynthesizer = {
    name: options.name ?? 'fake',
    version: options.version ?? '1',
    capabilities: {
      voices: options.voices ?? [
        { language: 'en-US', voice: 'female' },
        { language: 'en-US', voice: 'male' },
      ],
      ...(options.named ? { named: options.named } : {}),
      ...(options.styles ? { styles: options.styles } : {}),
      ...(options.ssml ? { ssml: true } : {}),
    },
    requests,
    get aborted() {
      return aborted;
    },
    release() {
      held = false;
      for (const go of waiting) go();
      waiting = [];
    },
    breakWith(error) {
      broken = error;
    },
    async *synthesize(request, signal) {
      const refusal = refusalOf(fake, request);
      if (refusal) throw new AudioError(refusal);
      requests.push(request);
      if (broken) throw broken;
      for (const [index, sentence] of request.text.split('|').entries()) {
        if (held && index >= (options.heldAfter ?? 0)) await wait(signal);
        yield Int16Array.from(sentence, (letter) => letter.charCodeAt(0));
      }
    },
    stop: async () => {},
  };
  return fake;
}
