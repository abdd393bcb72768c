/** Checks that the prompts of a question ask for the keys and the number of digits that it accepts. */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { type Issue, valueIssue } from '../../base/schema/document.ts';
import type { FlowDraft, StepDraft } from '../../language/flow/flow-draft.ts';
import { keyLengths, lengthsOfDigits } from '../../language/flow/key-patterns.ts';
import { type SaidCount, saidCounts } from '../../language/flow/said/said-counts.ts';
import { isAffirmed, saidKeys } from '../../language/flow/said/said-keys.ts';
import { isOwn, keysAt, saidTexts, wrongKeys } from '../../language/flow/said/said-prompts.ts';

const PROMPTS = ['/prompt', '/no_input', '/no_match'];

export function* saidInQuestion(step: StepDraft, args: JsonObject, draft: FlowDraft): Generator<Issue> {
  const { digits } = args;
  if (isObject(digits)) {
    yield* wrongEnd(step, digits, draft);
    yield* wrongLength(step, digits, draft);
  }
  if (isObject(args['confirm'])) yield* wrongAnswers(step, draft);
}

/** Digits are the input; the signs `*` and `#` end it, unless a pattern accepts them. */
function* wrongEnd(step: StepDraft, { pattern }: JsonObject, draft: FlowDraft): Generator<Issue> {
  const isInput = (key: string): boolean =>
    !/^[*#]$/.test(key) || (typeof pattern === 'string' && pattern.includes(key));
  const keys = keysAt(step, ['/digits/terminator']);
  yield* wrongKeys(step, draft, { texts: saidTexts(step, PROMPTS, draft), keys, isEach: true, isInput });
}

function* wrongLength(step: StepDraft, digits: JsonObject, draft: FlowDraft): Generator<Issue> {
  const { bits, words } = lengthsOfDigits(digits);
  const matched = typeof digits['pattern'] === 'string' ? keyLengths(digits['pattern']) : undefined;
  const accepted = bits === undefined || matched === undefined ? bits : bits & matched;
  if (accepted === undefined || accepted === 0n) return;
  for (const { text, pointer } of saidTexts(step, PROMPTS, draft)) {
    const counts = saidCounts(text);
    if (counts.length === 0 || fits(counts, accepted)) continue;
    const [only, ...others] = counts;
    const said = others.length === 0 && only!.least === only!.most ? only!.least : undefined;
    const at = said !== undefined && isOwn(step, '/digits/length') ? `${step.argsPointer}/digits/length` : pointer;
    const message = `the prompt speaks of ${counts.map(inWords).join(', ')}, and the question accepts ${words}`;
    const hint = said === undefined ? 'change one of the two' : `write length: ${said}, or change the prompt`;
    const issue = valueIssue('said-length', at, message, hint);
    yield at === pointer ? issue : { ...issue, repair: { text: String(said) } };
    return;
  }
}

/** True if one of the counts, or their sum, is accepted: “two digits for the day and two for the month”. */
function fits(counts: readonly SaidCount[], accepted: bigint): boolean {
  const isAccepted = (length: number): boolean => ((accepted >> BigInt(length)) & 1n) === 1n;
  const holds = ({ least, most }: SaidCount): boolean => {
    if (most === Number.POSITIVE_INFINITY) return accepted >> BigInt(least) !== 0n;
    if (least === 0) return isAccepted(most);
    return isAccepted(least) && isAccepted(most);
  };
  const sum = counts.reduce((total, { most }) => total + most, 0);
  return counts.some(holds) || (counts.length > 1 && Number.isFinite(sum) && isAccepted(sum));
}

const inWords = ({ least, most }: SaidCount): string => {
  if (most === Number.POSITIVE_INFINITY) return `at least ${least} digits`;
  if (least === 0) return `up to ${most} digits`;
  return least === most ? `${least} digits` : `${least} to ${most} digits`;
};

/** The question whether the input is right. */
function* wrongAnswers(step: StepDraft, draft: FlowDraft): Generator<Issue> {
  const [accept, retry] = keysAt(step, ['/confirm/accept', '/confirm/retry']);
  if (accept === undefined || retry === undefined) return;
  const texts = saidTexts(step, ['/confirm/prompt'], draft);
  const said = texts.flatMap(({ text }) => saidKeys(text));
  const isSwapped = said.some(({ keys, ...each }) => {
    const isYes = isAffirmed({ keys, ...each });
    return (
      keys.length === 1 && ((isYes === true && keys[0] === retry.key) || (isYes === false && keys[0] === accept.key))
    );
  });
  if (!isSwapped) {
    yield* wrongKeys(step, draft, { texts, keys: [accept, retry], isEach: true });
    return;
  }
  const written = [accept, retry].filter(({ argument }) => isOwn(step, argument!));
  const message = quoting`the prompt says the keys the other way round: ${accept.key} accepts, and ${retry.key} asks again`;
  const hint = `write accept: "${retry.key}", retry: "${accept.key}", or change the prompt`;
  const [first] = written;
  yield valueIssue('said-choice', first ? step.argsPointer + first.argument! : texts[0]!.pointer, message, hint);
}
