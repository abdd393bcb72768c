/** Verb `llm` of jambonz: conversation of the caller with a language model. Used by `jambonz.ts`. */
import { defined, isObject, type Json, type JsonObject } from '../../base/core/json.ts';
import { lost, noted } from './fidelity.ts';
import { nameFromText, textOf, wordOf } from './flow-writer.ts';
import type { ImportedNode } from './imported.ts';
import { hookAt, type JambonzContext } from './jambonz-context.ts';
import { type JsonVerb, objectAt, wordsAt } from './json-verbs.ts';
import { passOver, whole } from './source-views.ts';
import type { Unit } from './verb-unit.ts';

const OPENAI = 'wss://api.openai.com/v1/realtime';
const MAX_TALK = '4h';

/** Supports OpenAI only: other vendors have their own message formats. The API key in the source is not imported. */
export function assistantUnit(list: JambonzContext, verb: JsonVerb, node: ImportedNode): Unit {
  const { fields } = verb;
  const vendor = /^(\w+)_s2s$/.exec(verb.name)?.[1] ?? wordsAt(fields, 'vendor') ?? verb.name;
  const what = `connect the caller with the assistant of ${vendor.slice(0, 60)}`;
  if (vendor !== 'openai') return list.todo(verb, node, what);
  const options = objectAt(fields, 'llmOptions');
  const [create, update] = [objectAt(options, 'response_create'), objectAt(options, 'session_update')];
  const tools = [update['tools'] ?? create['tools'] ?? []].flat().filter(isObject);
  const hook = hookAt(fields, 'toolHook');
  const lookups = lookupsOf(tools, hook);
  if (lookups === undefined) return list.todo(verb, node, `${what}: its tools are answered by no whole URL`);
  lost(node, fields, 'mcpServers', 'it does not ask servers of MCP');
  passOver(fields, ['auth', 'vendor']);
  noted(node, 'set the secret `openai_api_key`: the key of the source is not copied');
  const instructions = wordsAt(create, 'instructions') ?? wordsAt(update, 'instructions') ?? '';
  const voice = wordsAt(update, 'voice') ?? wordsAt(create, 'voice');
  const assistant = defined<JsonObject>({
    agent: defined<JsonObject>({ adapter: 'openai', url: OPENAI, model: wordsAt(fields, 'model'), voice }),
    auth: { bearer: '${ secrets.openai_api_key }' },
    instructions: instructions === '' ? undefined : textOf(instructions),
    lookups: Object.keys(lookups).length > 0 ? lookups : undefined,
    limits: { duration: MAX_TALK, silence: MAX_TALK, turns: 1000 },
  });
  return list.unit(`talk_${nameFromText(vendor)}`, node, (next) => {
    const there = list.after(fields, node)(next);
    return { assistant, exits: { done: there, limit: there, error: there } };
  });
}

/**
 * Lookups for functions that the hook answers. Undefined if the hook is not an absolute URL or a function has no name.
 */
function lookupsOf(tools: readonly JsonObject[], hook: string | undefined): JsonObject | undefined {
  const lookups: Record<string, Json> = {};
  for (const tool of tools) {
    const name = wordsAt(tool, 'name');
    if (name === undefined || hook === undefined || !/^https?:\/\//.test(hook)) return undefined;
    const parameters = whole(objectAt(tool, 'parameters'));
    passOver(tool, ['type']);
    const schemas = Object.entries(objectAt(parameters, 'properties')).filter(([, each]) => isObject(each));
    const required = [parameters['required'] ?? []].flat();
    const args = schemas.map(([key, schema]) => [
      key,
      required.includes(key) ? schema : { ...(schema as JsonObject), default: null },
    ]);
    lookups[wordOf(name, 'tool')] = defined<JsonObject>({
      description: wordsAt(tool, 'description') ?? name,
      arguments: args.length > 0 ? Object.fromEntries(args) : undefined,
      request: { post: textOf(hook), body: { name, args: '${ result.arguments }' } },
    });
  }
  return lookups;
}
