import { formatDuration, parseDuration } from '../../base/core/duration.ts';
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { verbSchemas } from '../../base/schema/schema-forms.ts';
import type { Action, RequestMoment, VerbActions } from '../../proof/explore/actions/action.ts';
import { defaultReplies, reply } from '../../proof/explore/actions/outside-actions.ts';
import { sampleOf } from '../../proof/explore/actions/schema-values.ts';
import { valuesOf } from '../../proof/explore/actions/values.ts';
import type { ReplyForm } from '../../proof/testkit/scenario-form.ts';
import { argumentsSchema } from './arguments-schema.ts';

const ON_AND_ON = 'And so on, and so forth.';

export const actions: VerbActions = {
  /** Responses to lookups, or the behaviour of the agent, which lookups do not affect. */
  outside: (moment): Action[] => (moment.request === moment.step.name ? agentActions(moment) : defaultReplies(moment)),
};

function agentActions(moment: RequestMoment): Action[] {
  const { step, flow, args } = moment;
  const does = (label: string, outcome: string, agent: NonNullable<ReplyForm['agent']>): Action =>
    reply(moment, label, { agent }, [outcome]);
  const { duration, turns } = limitsOf(args);
  return [
    ...Object.entries(mapAt(args, 'tools')).flatMap(([tool, declared]) => {
      const schema = argumentsSchema(
        mapAt(isObject(declared) ? declared : {}, 'arguments') as Record<string, JsonObject>,
      );
      const given = valuesOf(`steps.${step.name}.arguments`, schema, flow).filter(isObject);
      const nearest = sampleOf(schema) as JsonObject;
      if (given.length === 0)
        return [
          {
            ...does(`calls ${tool} with the nearest arguments`, tool, [{ call: tool, arguments: nearest }]),
            notMade: tool,
          },
        ];
      return given.map((each) =>
        does(`calls ${tool} ${JSON.stringify(each)}`, tool, [{ call: tool, arguments: each }]),
      );
    }),
    does('says nothing', 'limit.silence', []),
    does('speaks too long', 'limit.duration', [{ say: ON_AND_ON, lasts: formatDuration(duration + 1_000) }]),
    does('talks in too many turns', 'limit.turns', [{ turns: turns + 1 }]),
    does('ends the conversation', 'done', ['close']),
    does('cannot be reached', 'error', ['refuse']),
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
