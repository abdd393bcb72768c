/**
 * The Play object of the API as the arguments of a flow's `play` or `collect`: what a REST call asks to be heard is
 * heard by the same steps that flows use.
 */
import { atMost, type Clock } from '../core/clock.ts';
import type { Fault } from '../core/fault.ts';
import type { JsonObject } from '../core/json.ts';
import type { AudioItem, Voice } from '../core/leg.ts';
import { CallError } from './call-error.ts';
import { audioOf, type NamedPrompts, namedPrompt, spokenPrompt, type WrittenPrompt } from './prompts.ts';
import { ssmlOfOption } from './speech-option.ts';

/** As prompts of flows have it. */
const LONGEST_SSML = 4000;

export interface PlayOrder {
  promptName?: string;
  promptRef?: string;
  text?: string;
  voice?: Voice;
  language?: string;
  /** Finer control of the voice, as the API has it. */
  option?: JsonObject;
  /** Waits for digits, which end the prompt. */
  dtmf: boolean;
  /** Waits for speech, which ends the prompt; with `dtmf`, for what comes first. */
  asr: boolean;
  /** Silence before the first digit or word. */
  startTimeoutMs: number;
  /** Silence after a digit or word, before the result is sent. */
  recognizerTimeoutMs: number;
  /** Digits pressed before the prompt count as well. */
  typeahead?: boolean;
  /** Whether a digit ends the prompt; by default only of a prompt that waits for digits. */
  interrupt?: boolean;
}

export interface PlayStep {
  verb: 'play' | 'collect';
  args: JsonObject;
  promptRef?: string;
}

/** Whether something can be heard; implemented by `speech/`. */
export interface PromptAudio {
  /** Why this cannot be played, as far as that is known without synthesis. */
  refusal(item: AudioItem): Fault | undefined;
  /** Begins to make it, once for all who play it: resolves with its first sound, or with why there is none. */
  prepare?(item: AudioItem, projectId?: string): Promise<Fault | undefined>;
  /** Its sound, 8 kHz linear PCM, which is shared: never write to it. Rejects with an Error that carries a `fault`. */
  load?(item: AudioItem, signal: AbortSignal, projectId?: string): Promise<Int16Array>;
  /** What is not quite as asked for: another variety of the language, another voice. */
  substitution?(item: AudioItem): string | undefined;
  /** How long it lasts, as far as that is known without making it. */
  durationMs?(item: AudioItem): number;
}

/** How long an API response waits for synthesis to fail. A later failure is sent as an event of the prompt. */
const LONGEST_WAIT_MS = 500;

/** Until the prompt can be heard, but not for long; throws what keeps it from that. */
export async function awaitAudio(
  order: PlayOrder,
  projectId: string,
  { prompts, promptAudio, clock }: { prompts(): NamedPrompts; promptAudio: PromptAudio; clock: Clock },
): Promise<void> {
  if (!promptAudio.prepare) return;
  const prepared = promptAudio.prepare(audioOf(promptOf(order, prompts())), projectId);
  const fault = await atMost(clock, LONGEST_WAIT_MS, prepared);
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

/** One key press answers one question: what was pressed before this one is not its answer, unless it asks for that. */
const digitsOf = ({ typeahead }: PlayOrder): JsonObject => ({
  digits: { min: 1 },
  typeahead: typeahead ? 'keep' : 'from_prompt',
});

/** The language of the prompt is the one that is answered in. */
const speechOf = ({ language }: PlayOrder): JsonObject => (language === undefined ? {} : { language });

function promptOf({ promptName, text, voice, language, option }: PlayOrder, prompts: NamedPrompts): WrittenPrompt {
  if (promptName !== undefined) return promptNamed(prompts, promptName, language);
  const spoken = spokenPrompt(text ?? '', voice, language);
  if (!option) return spoken;
  const { ssml, problem } = ssmlOfOption(option, spoken);
  if (problem) throw new CallError('speech_option_invalid', `text_to_speech_option${problem.path} ${problem.message}`);
  if (ssml.length > LONGEST_SSML) throw new CallError('text_too_long', 'the text is too long');
  return { ssml, voice: spoken.voice, language: spoken.language };
}

/** Throws `unknown_prompt`. */
export function promptNamed(prompts: NamedPrompts, name: string, language?: string): WrittenPrompt {
  const prompt = namedPrompt(prompts, name, language);
  if (!prompt) throw new CallError('unknown_prompt', `there is no prompt ${name}`);
  return prompt;
}

/** Refused by the API rather than on the call: the client still waits for its response. */
function audioError(fault: Fault): CallError {
  if (fault.code === 'language_not_supported') return new CallError('voice_not_supported', fault.message);
  if (fault.code === 'text_too_long') return new CallError('text_too_long', fault.message);
  return new CallError('speech_failed', fault.message);
}
