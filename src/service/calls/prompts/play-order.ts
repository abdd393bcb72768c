/**
 * Converts the Play object of the API into arguments of a flow's `play` or `collect`, so that REST plays use the same
 * steps as flows.
 */
import { atMost, type Clock } from '../../../base/core/clock.ts';
import type { Fault } from '../../../base/core/fault.ts';
import type { JsonObject } from '../../../base/core/json.ts';
import type { AudioItem, Voice } from '../../../base/core/leg.ts';
import { CallError } from '../call-error.ts';
import { audioOf, type NamedPrompts, namedPrompt, spokenPrompt, type WrittenPrompt } from './prompts.ts';
import { ssmlOfOption } from './speech-option.ts';

/** Same limit as for prompts of flows. */
const MAX_SSML = 4000;

export interface PlayOrder {
  promptName?: string;
  promptRef?: string;
  text?: string;
  voice?: Voice;
  language?: string;
  /** Finer control of the voice, in the format of the API. */
  option?: JsonObject;
  /** Waits for digits, which end the prompt. */
  dtmf: boolean;
  /** Waits for speech, which ends the prompt; with `dtmf`, for whichever comes first. */
  asr: boolean;
  /** Maximum silence before the first digit or word. */
  startTimeoutMs: number;
  /** Silence after a digit or word after which the result is sent. */
  recognizerTimeoutMs: number;
  /** True if digits pressed before the prompt count. */
  typeahead?: boolean;
  /** True if a digit ends the prompt; by default only for a prompt that waits for digits. */
  interrupt?: boolean;
}

export interface PlayStep {
  verb: 'play' | 'collect';
  args: JsonObject;
  promptRef?: string;
}

/** Port: availability of audio; implemented by `speech/`. */
export interface PromptAudio {
  /** Reason why the item cannot be played, if known without synthesis. */
  refusal(item: AudioItem): Fault | undefined;
  /** Starts synthesis, once for all plays of the item. Resolves at the first audio, or with the fault. */
  prepare?(item: AudioItem, projectId?: string): Promise<Fault | undefined>;
  /**
   * The audio, 8 kHz linear PCM. The array is shared: never write to it. Rejects with an Error that carries a `fault`.
   */
  load?(item: AudioItem, signal: AbortSignal, projectId?: string): Promise<Int16Array>;
  /** Deviation from the request, such as another variety of the language or another voice. */
  substitution?(item: AudioItem): string | undefined;
  /** Duration, if known without synthesis. */
  durationMs?(item: AudioItem): number;
}

/** Time that an API response waits for synthesis to fail. A later failure is sent as an event of the prompt. */
const MAX_WAIT_MS = 500;

/** Waits briefly until the prompt is audible; throws the fault if there is one. */
export async function awaitAudio(
  order: PlayOrder,
  projectId: string,
  { prompts, promptAudio, clock }: { prompts(): NamedPrompts; promptAudio: PromptAudio; clock: Clock },
): Promise<void> {
  if (!promptAudio.prepare) return;
  const prepared = promptAudio.prepare(audioOf(promptOf(order, prompts())), projectId);
  const fault = await atMost(clock, MAX_WAIT_MS, prepared);
  if (fault) throw audioError(fault);
}

export function playStep(order: PlayOrder, prompts: NamedPrompts, promptAudio: PromptAudio): PlayStep {
  const prompt = promptOf(order, prompts);
  const fault = promptAudio.refusal(audioOf(prompt));
  if (fault) throw audioError(fault);
  const promptRef = order.promptRef === undefined ? {} : { promptRef: order.promptRef };
  if (!order.dtmf && !order.asr) {
    return { verb: 'play', args: { prompt, barge_in: order.interrupt ?? false }, ...promptRef };
  }
  const wait = `${order.recognizerTimeoutMs}ms`;
  return {
    verb: 'collect',
    args: {
      prompt,
      attempts: 1,
      start_timeout: `${order.startTimeoutMs}ms`,
      barge_in: order.interrupt ?? true,
      ...(order.dtmf ? { ...digitsOf(order), inter_digit_timeout: wait } : {}),
      ...(order.asr ? { speech: speechOf(order), recognizer_timeout: wait } : {}),
    },
    ...promptRef,
  };
}

/** Digits pressed before this prompt are not its answer, unless `typeahead` is set. */
const digitsOf = ({ typeahead }: PlayOrder): JsonObject => ({
  digits: { min: 1 },
  typeahead: typeahead ? 'keep' : 'from_prompt',
});

/** Speech is recognised in the language of the prompt. */
const speechOf = ({ language }: PlayOrder): JsonObject => (language === undefined ? {} : { language });

function promptOf({ promptName, text, voice, language, option }: PlayOrder, prompts: NamedPrompts): WrittenPrompt {
  if (promptName !== undefined) return promptNamed(prompts, promptName, language);
  const spoken = spokenPrompt(text ?? '', voice, language);
  if (!option) return spoken;
  const { ssml, problem } = ssmlOfOption(option, spoken);
  if (problem) throw new CallError('speech_option_invalid', `text_to_speech_option${problem.path} ${problem.message}`);
  if (ssml.length > MAX_SSML) throw new CallError('text_too_long', 'the text is too long');
  return { ssml, voice: spoken.voice, language: spoken.language };
}

/** Throws `unknown_prompt`. */
export function promptNamed(prompts: NamedPrompts, name: string, language?: string): WrittenPrompt {
  const prompt = namedPrompt(prompts, name, language);
  if (!prompt) throw new CallError('unknown_prompt', `there is no prompt ${name}`);
  return prompt;
}

/** Reported by the API rather than on the call: the client still waits for its response. */
function audioError(fault: Fault): CallError {
  if (fault.code === 'language_not_supported') return new CallError('voice_not_supported', fault.message);
  if (fault.code === 'text_too_long') return new CallError('text_too_long', fault.message);
  return new CallError('speech_failed', fault.message);
}
