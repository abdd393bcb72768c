import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { type Issue, keyIssue } from '../../base/schema/document.ts';
import type { StepDraft } from '../../language/flow/flow-draft.ts';
import { deadAir } from '../../language/flow/service-waits.ts';
import { typeOfSchema } from '../../language/flow/types/type.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

const NOT_IDEMPOTENT = ['post', 'patch'];
const WITHOUT_FORM = ['get', 'delete'];

export const lint: VerbLint = {
  *check(step, args) {
    yield* methods(step, args);
    yield* deadAir(step, args);
  },
  resultFields(fields, { returns }) {
    if (isObject(returns)) fields.set('body', typeOfSchema(returns, true));
  },
};

function* methods(step: StepDraft, args: JsonObject): Generator<Issue> {
  const method = NOT_IDEMPOTENT.find((name) => args[name] !== undefined);
  if (args['retry'] !== undefined && method !== undefined && args['idempotent'] !== true) {
    const message = `a ${method.toUpperCase()} that is tried again may be done twice`;
    const hint = 'add idempotent: true if that does no harm, or remove retry';
    yield keyIssue('retry-not-idempotent', `${step.argsPointer}/retry`, message, hint);
  }
  if (args['form'] !== undefined) yield* form(step, args);
  if (args['get'] !== undefined && args['body'] !== undefined) {
    const hint = 'write post, or put the values into the URL';
    yield keyIssue('get-with-body', `${step.argsPointer}/body`, 'most services do not look at the body of a GET', hint);
  }
}

function* form({ argsPointer }: StepDraft, args: JsonObject): Generator<Issue> {
  const pointer = `${argsPointer}/form`;
  if (args['body'] !== undefined) {
    yield keyIssue('two-bodies', pointer, quoting`a request has one of ${'body'} and ${'form'}`, 'remove one of them');
  }
  const method = WITHOUT_FORM.find((name) => args[name] !== undefined);
  if (method === undefined) return;
  const hint = 'send it by post, or write the fields into the URL: ?name=${ … }';
  yield keyIssue('form-without-body', pointer, `a ${method.toUpperCase()} sends no form`, hint);
}
