/**
 * Checks of AI agents: schemas of their tools and lookups, names that are used twice, and features that their adapter
 * does not support.
 */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { schemaProblem } from '../../base/schema/compile-check.ts';
import { childPointer, type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import type { StepDraft } from '../../language/flow/flow-draft.ts';
import { hasExpression } from '../../language/flow/outcome-conditions.ts';
import { argumentsOfTools } from '../../language/flow/types/tool-arguments.ts';
import { literalType, mapOf, perhaps, type Type, union } from '../../language/flow/types/type.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

const CALLED = ['tools', 'lookups'] as const;

export const lint: VerbLint = {
  *check(step, args, { options: { configured } }) {
    yield* brokenSchemas(args, step);
    yield* sameNames(args, step);
    yield* withoutTools(args, step);
    if (configured?.assistants !== undefined) yield* unknownAgent(step, configured.assistants);
  },
  resultFields(fields, args, { outcomes }) {
    const called = Object.entries(mapAt(args, 'tools')).filter(([name]) => outcomes.includes(name));
    const tools = Object.fromEntries(called.length > 0 ? called : Object.entries(mapAt(args, 'tools')));
    fields.set('arguments', argumentsOfTools(tools));
    const byTool = Object.entries(mapAt(args, 'tools')).map(([name, tool]): [string, Type] => [
      name,
      perhaps(argumentsOfTools({ [name]: tool })),
    ]);
    fields.set('tools', perhaps(mapOf(new Map(byTool), 'none')));
    const names = Object.keys(tools).map(literalType);
    if (names.length > 0) fields.set('tool', perhaps(names.reduce(union)));
  },
};

const mapAt = (args: JsonObject, key: string): JsonObject => (isObject(args[key]) ? args[key] : {});

function* brokenSchemas(args: JsonObject, { argsPointer }: StepDraft): Generator<Issue> {
  for (const kind of CALLED) {
    for (const [name, called] of Object.entries(mapAt(args, kind))) {
      const at = childPointer(childPointer(argsPointer, kind), name);
      const declared = isObject(called) ? mapAt(called, 'arguments') : {};
      const schemas: [pointer: string, schema: Json][] = Object.entries(declared).map(([key, schema]) => {
        return [childPointer(`${at}/arguments`, key), schema];
      });
      if (isObject(called) && called['returns'] !== undefined) schemas.push([`${at}/returns`, called['returns']]);
      for (const [pointer, schema] of schemas) {
        const problem = isObject(schema) ? schemaProblem(schema) : undefined;
        if (problem === undefined) continue;
        yield valueIssue('bad-schema', pointer, `this is not a usable JSON Schema: ${problem}`);
      }
    }
  }
}

/** Tools and lookups share one namespace for the agent. */
function* sameNames(args: JsonObject, { argsPointer }: StepDraft): Generator<Issue> {
  for (const name of Object.keys(mapAt(args, 'lookups'))) {
    if (!Object.hasOwn(mapAt(args, 'tools'), name)) continue;
    const pointer = childPointer(`${argsPointer}/lookups`, name);
    yield keyIssue('same-tool', pointer, quoting`${name} is a tool already`, 'the agent knows both by their names');
  }
}

function* withoutTools(args: JsonObject, { argsPointer }: StepDraft): Generator<Issue> {
  const { agent } = args;
  if (!isObject(agent) || agent['adapter'] !== 'twilio') return;
  for (const kind of CALLED) {
    if (Object.keys(mapAt(args, kind)).length === 0) continue;
    const message = quoting`agents of the adapter twilio cannot call ${kind}`;
    yield keyIssue('agent-without-tools', `${argsPointer}/${kind}`, message, 'such a bot ends the step with done');
  }
}

function* unknownAgent({ compiled: { args }, argsPointer }: StepDraft, known: readonly string[]): Generator<Issue> {
  const written = isObject(args) ? args['agent'] : args;
  if (isObject(written)) return;
  if (known.length === 0) {
    yield keyIssue(
      'unknown-agent',
      argsPointer,
      'the configuration has no AI agents',
      'add one under assistants: [ … ]',
    );
    return;
  }
  if (typeof written !== 'string' || hasExpression(written) || known.includes(written)) return;
  const pointer = isObject(args) ? `${argsPointer}/agent` : argsPointer;
  yield valueIssue(
    'unknown-agent',
    pointer,
    quoting`the configuration has no agent ${written}`,
    didYouMean(written, known),
  );
}
