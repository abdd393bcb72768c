/** Checks of payments: amounts that do not exist in their currency, and paths on which a caller may pay twice. */
import { quoting } from '../../base/core/diagnostic.ts';
import type { JsonObject } from '../../base/core/json.ts';
import { childPointer, type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import type { FlowDraft, StepDraft } from '../../language/flow/flow-draft.ts';
import { isCurrency, readAmount } from '../../language/flow/money.ts';
import { deadAir } from '../../language/flow/service-waits.ts';
import { factsOf } from '../../language/flow/verb-facts.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

const PAYMENT_TIMEOUT = '20s';
/** Outcomes after which it is unknown whether the payment was made. */
const UNKNOWN = ['failed.timeout', 'failed.network', 'failed.provider'];

export const lint: VerbLint = {
  *check(step, args, draft) {
    yield* deadAir(step, { timeout: PAYMENT_TIMEOUT, ...args });
    yield* amountOf(step, args);
    if (args['tokenize'] !== true) yield* paidTwice(step, draft);
  },
};

function* amountOf({ argsPointer }: StepDraft, { amount, currency }: JsonObject): Generator<Issue> {
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency)) return;
  if (!isCurrency(currency)) {
    const message = quoting`there is no currency ${currency}`;
    yield valueIssue('unknown-currency', `${argsPointer}/currency`, message, 'such as EUR, USD or GBP (ISO 4217)');
  } else if (typeof amount === 'number' && readAmount(amount, currency) === undefined) {
    const message = `there is no amount ${amount} in ${currency}`;
    yield valueIssue('wrong-amount', `${argsPointer}/amount`, message, 'amounts are in units of the currency: 49.90');
  }
}

function* paidTwice({ pointer, compiled, routes }: StepDraft, { steps }: FlowDraft): Generator<Issue> {
  for (const outcome of UNKNOWN) {
    const way: string[] = [];
    let next = compiled.exits[outcome];
    while (next !== undefined && factsOf(steps.get(next)?.spec.verb ?? '').passes && !way.includes(next)) {
      way.push(next);
      const { compiled: passed, spec } = steps.get(next)!;
      next = passed.exits[spec.success ?? 'done'];
    }
    if (next === undefined || steps.get(next)?.spec.verb !== 'pay') continue;
    const message = quoting`after ${outcome} it may be paid already, and ${next} takes another payment`;
    const hint = 'route it to somebody who finds out: notify with steps.NAME.id';
    const route = routes.routes.get(outcome);
    yield keyIssue(
      'paid-twice',
      route?.by === 'exits' ? childPointer(`${pointer}/exits`, route.key) : pointer,
      message,
      hint,
    );
    return;
  }
}
