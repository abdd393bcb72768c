import type { Json, JsonObject } from '../../base/core/json.ts';
import { compileCheck } from '../../base/schema/compile-check.ts';
import { ask, type CallerInput, type DigitsStatus, type Exhausted, type Question } from '../../language/steps/ask.ts';
import { listenOptions } from '../../language/steps/spoken-answer.ts';
import { defineStep, type StepContext, type Waiting } from '../../language/steps/step.ts';
import { type TypedAnswer, typedAnswer, withValue } from '../../language/steps/typed-answers.ts';
import type { CollectArgs, CollectOutcome } from '../../language/steps/verb-types.ts';
import WORDS from './words.json' with { type: 'json' };

const ALL_DIGITS = '0123456789*#ABCD';
const KEYPAD = '0123456789*#';
type Context = StepContext<CollectArgs>;
type Digits = NonNullable<CollectArgs['digits']>;

export const step = defineStep<CollectArgs, CollectOutcome>({
  verb: 'collect',
  async *run(context) {
    const { input } = context;
    const typed = typedAnswer(context);
    const question = typed ? typedQuestion(context, typed) : buildQuestion(context);
    for (let round = input.attempts; ; round--) {
      const answer = yield* ask(context, question);
      if ('outcome' in answer) return answer;
      const result = typed ? withValue(typed, answer) : resultOf(input, answer);
      const how = 'speech' in answer ? 'speech' : 'digits';
      const confirmed = needsConfirmation(input, how) ? yield* confirm(context, input.confirm, result) : true;
      if (confirmed === true) return { outcome: context.routes(how) ? how : 'collected', result };
      if (confirmed !== false) return confirmed;
      if (round <= 1) return { outcome: 'exhausted.no_match' };
    }
  },
});

function buildQuestion(context: Context): Question {
  const { input } = context;
  const { min, max, length, terminator, pattern }: Digits = input.digits ?? { min: 1, max: 32, terminator: '' };
  const [fewest, most] = [length ?? min, length ?? max];
  // Anchored, because a JSON Schema pattern matches anywhere in the text.
  const mismatch = pattern ? compileCheck({ type: 'string', pattern: `^(?:${pattern})$` }) : () => undefined;
  const check = (typed: string): DigitsStatus => {
    if (typed.length < fewest) return 'more';
    const fits = mismatch(typed) === undefined;
    if (typed.length >= most) return fits ? 'complete' : 'wrong';
    return fits ? 'enough' : 'more';
  };
  const isSpelled = (said: string): boolean => {
    const keys = keysIn(said);
    return /^[0-9*#]+$/.test(keys) && keys.length <= most && ['complete', 'enough'].includes(check(keys));
  };
  // Spoken digits must match the same rules as pressed ones.
  const accepts = input.digits && takesSpelled(input) ? isSpelled : (said: string) => said !== '';
  return {
    args: input,
    claims: input.digits ? ALL_DIGITS : '',
    terminator,
    check,
    ...(input.speech && { speech: { options: listenOptions(context, input), accepts } }),
  };
}

const typedQuestion = (context: Context, { terminator, status, fromWords, grammar }: TypedAnswer): Question => ({
  args: context.input,
  claims: KEYPAD,
  terminator,
  check: status,
  ...(context.input.speech && {
    speech: {
      options: { ...listenOptions(context, context.input), grammar },
      accepts: (said) => fromWords(said) !== undefined,
    },
  }),
});

const takesSpelled = ({ speech }: CollectArgs): boolean => speech?.grammar === 'digits';

/** Removes separators from recognised digits. */
const keysIn = (said: string): string => said.replaceAll(/[\s.,-]+/g, '');

const resultOf = (args: CollectArgs, input: CallerInput): JsonObject =>
  'speech' in input && takesSpelled(args) ? { digits: keysIn(input.speech), ...input } : { ...input };

const needsConfirmation = (
  args: CollectArgs,
  how: 'digits' | 'speech',
): args is CollectArgs & Required<Pick<CollectArgs, 'confirm'>> =>
  args.confirm !== undefined && (args.confirm.only ?? how) === how;

/** Asks the caller to confirm the answer. True: accepted; false: ask again; otherwise the result of the step. */
async function* confirm(
  context: Context,
  written: NonNullable<CollectArgs['confirm']>,
  result: JsonObject,
): Waiting<boolean | Exhausted> {
  const { accept, retry } = written;
  const prompt = await context.render(written.prompt ?? usualPrompt(context, written), '/confirm/prompt', result);
  const { speech } = context.input;
  const args = { ...context.input, prompt, no_input: [prompt], no_match: [prompt] };
  const yesOrNo = { ...args, ...(speech && { speech: { ...speech, grammar: 'yes_no' as const } }) };
  const answer = yield* ask(context, {
    args,
    claims: accept + retry,
    terminator: '',
    check: (typed) => (typed === accept || typed === retry ? 'complete' : 'wrong'),
    ...(speech && {
      speech: { options: listenOptions(context, yesOrNo), accepts: (said) => /^(yes|no)$/i.test(said) },
    }),
  });
  if ('outcome' in answer) return answer;
  return 'digits' in answer ? answer.digits === accept : answer.speech.toLowerCase() === 'yes';
}

/** Built-in question in the language of the call, else in English by an English voice. */
function usualPrompt({ locale }: Context, { accept, retry }: { accept: string; retry: string }): Json {
  const language = locale.split('-')[0]!.toLowerCase();
  const isKnown = Object.hasOwn(WORDS, language);
  const words = WORDS[isKnown ? (language as keyof typeof WORDS) : 'en'];
  const text = words.replace('{accept}', accept).replace('{retry}', retry);
  return isKnown ? { text } : { text, language: 'en-US' };
}
