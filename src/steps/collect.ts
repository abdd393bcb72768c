import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { compileSchema } from '../flow/validate.ts';
import { count, text } from './arguments.ts';
import type { Answer, Question, Reading } from './ask.ts';
import { ask } from './ask.ts';
import type { StepContext, StepEvent, StepResult, Wait } from './step.ts';
import { defineStep } from './step.ts';

const ALL_DIGITS = '0123456789*#ABCD';

export const collect = defineStep({
  verb: 'collect',
  outcomes: () => ['collected', 'exhausted.no_input', 'exhausted.no_match', 'error'],
  success: 'collected',
  waits: true,
  media: true,
  needsCall: true,
  lazy: ['confirm'],
  prompts: ['/prompt', '/no_input', '/no_match', '/confirm/prompt'],
  async *run(context) {
    const args = isObject(context.input) ? context.input : {};
    const question = digitsQuestion(args);
    for (let round = Math.max(1, count(args['attempts'], 3)); ; round--) {
      const answer = yield* ask(context, question);
      if (answer.how !== 'matched') return setback(answer);
      const result = { digits: answer.digits };
      if (!isObject(args['confirm'])) return { outcome: 'collected', result };
      const confirmed = yield* confirm(context, args, args['confirm'], result);
      if (confirmed === true) return { outcome: 'collected', result };
      if (confirmed !== false) return confirmed;
      if (round <= 1) return { outcome: 'exhausted.no_match' };
    }
  },
});

export function setback(answer: Exclude<Answer, { how: 'matched' }>): StepResult {
  return answer.how === 'broken' ? { outcome: 'error', fault: answer.fault } : { outcome: `exhausted.${answer.why}` };
}

function digitsQuestion(args: JsonObject): Question {
  const digits = isObject(args['digits']) ? args['digits'] : {};
  const length = count(digits['length'], 0);
  const min = length || count(digits['min'], 1);
  const max = length || count(digits['max'], 32);
  const pattern = text(digits['pattern']);
  // A pattern of JSON Schema is looked for anywhere in the text; ours has to be all of it.
  const mismatch = pattern === '' ? () => undefined : compileSchema({ type: 'string', pattern: `^(?:${pattern})$` });
  const read = (typed: string): Reading => {
    if (typed.length < min) return 'more';
    const fits = mismatch(typed) === undefined;
    if (typed.length >= max) return fits ? 'complete' : 'wrong';
    return fits ? 'enough' : 'more';
  };
  return { args, claims: ALL_DIGITS, terminator: text(digits['terminator'], '#'), read };
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
  const answer = yield* ask(context, {
    args: { ...args, prompt, no_input: [prompt], no_match: [prompt] },
    claims: accept + retry,
    terminator: '',
    read: (typed) => (typed === accept || typed === retry ? 'complete' : 'wrong'),
  });
  return answer.how === 'matched' ? answer.digits === accept : setback(answer);
}
