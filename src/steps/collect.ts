import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { compileCheck } from '../schema/validate.ts';
import { count, text } from './arguments.ts';
import { type AskResult, ask, type CallerInput, type DigitsStatus, type Question } from './ask.ts';
import { listenOptions } from './spoken-answer.ts';
import type { StepContext, StepEvent, StepResult, Wait } from './step.ts';
import { COMMANDS_ENDING_PROMPTS, defineStep } from './step.ts';

const ALL_DIGITS = '0123456789*#ABCD';

export const collect = defineStep({
  verb: 'collect',
  activity: 'prompt',
  preemptedBy: { to: COMMANDS_ENDING_PROMPTS, outcomes: ['error'] },
  outcomes: () => ['collected', 'exhausted.no_input', 'exhausted.no_match', 'error'],
  success: 'collected',
  waits: true,
  media: true,
  needsCall: true,
  lazy: ['confirm'],
  prompts: ['/prompt', '/no_input', '/no_match', '/confirm/prompt'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    const question = buildQuestion(context, args);
    for (let round = Math.max(1, count(args['attempts'], 3)); ; round--) {
      const answer = yield* ask(context, question);
      if (answer.how !== 'matched') return unansweredResult(answer);
      const result = resultOf(args, answer.input);
      if (!isObject(args['confirm'])) return { outcome: 'collected', result };
      const confirmed = yield* confirm(context, args, args['confirm'], result);
      if (confirmed === true) return { outcome: 'collected', result };
      if (confirmed !== false) return confirmed;
      if (round <= 1) return { outcome: 'exhausted.no_match' };
    }
  },
});

export function unansweredResult(answer: Exclude<AskResult, { how: 'matched' }>): StepResult {
  return answer.how === 'broken' ? { outcome: 'error', fault: answer.fault } : { outcome: `exhausted.${answer.why}` };
}

function buildQuestion(context: StepContext, args: JsonObject): Question {
  const digits = isObject(args['digits']) ? args['digits'] : {};
  const length = count(digits['length'], 0);
  const min = length || count(digits['min'], 1);
  const max = length || count(digits['max'], 32);
  const pattern = text(digits['pattern']);
  // A pattern of JSON Schema is looked for anywhere in the text; ours has to be all of it.
  const mismatch = pattern === '' ? () => undefined : compileCheck({ type: 'string', pattern: `^(?:${pattern})$` });
  const check = (typed: string): DigitsStatus => {
    if (typed.length < min) return 'more';
    const fits = mismatch(typed) === undefined;
    if (typed.length >= max) return fits ? 'complete' : 'wrong';
    return fits ? 'enough' : 'more';
  };
  const spelled = (said: string): boolean => {
    const keys = keysIn(said);
    return /^[0-9*#]+$/.test(keys) && keys.length <= max && check(keys) !== 'more' && check(keys) !== 'wrong';
  };
  const takesDigits = isObject(args['digits']);
  return {
    args,
    claims: takesDigits ? ALL_DIGITS : '',
    terminator: text(digits['terminator'], '#'),
    check,
    ...(isObject(args['speech'])
      ? {
          speech: {
            options: listenOptions(context, args, []),
            // Digits that are spoken have to fit as those that are pressed.
            accepts: (said: string) => (takesDigits && isSpelled(args) ? spelled(said) : said !== ''),
          },
        }
      : {}),
  };
}

const isSpelled = ({ speech }: JsonObject): boolean => isObject(speech) && speech['grammar'] === 'digits';

/** Spoken digits as they would be pressed. */
const keysIn = (said: string): string => said.replaceAll(/[\s.,-]+/g, '');

function resultOf(args: JsonObject, input: CallerInput): JsonObject {
  if ('digits' in input || !isSpelled(args)) return { ...input };
  return { digits: keysIn(input.speech), ...input };
}

/** Reads the answer back: true to keep it, false to ask again, or the outcome that ends the step. */
async function* confirm(
  context: StepContext,
  args: JsonObject,
  written: JsonObject,
  result: JsonObject,
): AsyncGenerator<Wait, boolean | StepResult, StepEvent> {
  const accept = text(written['accept'], '1');
  const retry = text(written['retry'], '2');
  const prompt: Json = await context.render(written['prompt'] ?? [], result);
  const asked = isObject(args['speech']) ? { ...args, speech: { ...args['speech'], grammar: 'yes_no' } } : args;
  const answer = yield* ask(context, {
    args: { ...args, prompt, no_input: [prompt], no_match: [prompt] },
    claims: accept + retry,
    terminator: '',
    check: (typed) => (typed === accept || typed === retry ? 'complete' : 'wrong'),
    ...(asked === args
      ? {}
      : {
          speech: { options: listenOptions(context, asked, []), accepts: (said: string) => /^(yes|no)$/i.test(said) },
        }),
  });
  if (answer.how !== 'matched') return unansweredResult(answer);
  return 'digits' in answer.input ? answer.input.digits === accept : answer.input.speech.toLowerCase() === 'yes';
}
