/**
 * Choices of an AI agent in a step `assistant`: call each tool with arguments that affect the flow, end the
 * conversation, refuse the connection, and exceed each limit. Lookups do not affect the flow and are not tried.
 */
import { formatDuration, parseDuration } from '../core/duration.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import type { CompiledFlow, CompiledStep } from '../flow/compiled-flow.ts';
import { longForm, verbSchemas } from '../schema/schema-forms.ts';
import { argumentsSchema } from '../steps/assistant-tools.ts';
import type { ReplyForm } from '../testkit/scenario-form.ts';
import { valuesOf } from './candidates.ts';
import type { Choice } from './choice.ts';

const ON_AND_ON = 'And so on, and so forth.';

export function agentChoices(step: CompiledStep, flow: CompiledFlow): Choice[] {
  const long = longForm(step.verb, step.args);
  const args = isObject(long) ? long : {};
  const does = (label: string, agent: NonNullable<ReplyForm['agent']>): Choice => ({
    kind: 'reply',
    label: `${step.name}: ${label}`,
    reply: { step: step.name, reply: { agent } },
  });
  const { duration, turns } = limitsOf(args);
  return [
    ...Object.entries(mapAt(args, 'tools')).flatMap(([tool, declared]) => {
      const schema = argumentsSchema(
        mapAt(isObject(declared) ? declared : {}, 'arguments') as Record<string, JsonObject>,
      );
      const given = valuesOf(`steps.${step.name}.arguments`, schema, flow).filter(isObject);
      return given.map((each) => does(`calls ${tool} ${JSON.stringify(each)}`, [{ call: tool, arguments: each }]));
    }),
    does('says nothing', []),
    does('goes on and on', [{ say: ON_AND_ON, lasts: formatDuration(duration + 1_000) }]),
    does('talks in too many turns', [{ turns: turns + 1 }]),
    does('ends the conversation', ['close']),
    does('cannot be reached', ['refuse']),
  ];
}

const mapAt = (map: JsonObject, key: string): JsonObject => (isObject(map[key]) ? map[key] : {});

function limitsOf(args: JsonObject): { duration: number; turns: number } {
  const { duration, turns } = mapAt(args, 'limits');
  const declared = mapAt(mapAt(limitsSchema(), 'properties'), 'duration')['default'];
  const usualTurns = mapAt(mapAt(limitsSchema(), 'properties'), 'turns')['default'];
  return {
    duration: parseDuration(String(duration ?? declared)) ?? 0,
    turns: typeof turns === 'number' ? turns : Number(usualTurns),
  };
}

/** Schema of `limits`, which has the defaults. */
function limitsSchema(): JsonObject {
  const forms = verbSchemas.get('assistant')?.['anyOf'];
  const [, form] = Array.isArray(forms) ? forms : [];
  return isObject(form) ? mapAt(mapAt(form, 'properties'), 'limits') : {};
}
