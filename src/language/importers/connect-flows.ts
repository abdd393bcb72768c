/** Amazon Connect actions that start other flows, modules and bots. Used by `connect-actions.ts`. */
import { defined, isObject, type JsonObject } from '../../base/core/json.ts';
import { casesOf } from './connect-cases.ts';
import type { ConnectAction, ConnectActionContext, WriteAction } from './connect-context.ts';
import { displayName, idAtEnd } from './connect-parameters.ts';
import { untranslated, worked } from './fidelity.ts';
import { type FlowWriter, textOf, wordOf } from './flow-writer.ts';
import { passOver } from './source-views.ts';

/** Finds the flow that an action refers to, by the name shown in the editor or by its id. */
function flowNamed(
  context: ConnectActionContext,
  action: ConnectAction,
  parameter: string,
): { name: string; called: FlowWriter } {
  const { contactFlow } = action.metadata;
  const named = isObject(contactFlow) ? contactFlow['text'] : undefined;
  const id = idAtEnd(action.parameters[parameter]);
  const names = [displayName(action, parameter), typeof named === 'string' ? named : undefined, id];
  const called = names.map((name) => (name ? context.called(name) : undefined)).find((flow) => flow !== undefined);
  const name = String(names.find(Boolean) ?? '');
  return { name, called: called ?? untranslated(`continue with the flow ${name}: import it together with this one`) };
}

export const toFlow: WriteAction = (context, action) => {
  const { called } = flowNamed(context, action, 'ContactFlowId');
  const error = context.onError(action, 'NoMatchingError');
  context.flow.step(action.step, { continue: { flow: called.name, input: context.handOver() }, exits: { error } });
};

export const callModule: WriteAction = (context, action) => {
  const { called } = flowNamed(context, action, 'FlowModuleId');
  const next = context.next(action);
  const subflow = { flow: called.name, input: context.handOver(), outcomes: ['ended'] };
  const exits = { ended: next, done: next, error: context.onError(action, 'NoMatchingError') };
  context.flow.step(action.step, { subflow, set: context.takeBack(action.step, next), exits });
};

/** A bot becomes an `agent` step. Each intent becomes a tool that exits the step. */
export const bot: WriteAction = (context, action, node) => {
  const { LexV2Bot: second, LexBot: first, Text: text = '', SSML: ssml } = action.parameters;
  if (isObject(first)) passOver(first, ['Region', 'Alias']);
  for (const key of ['LexSessionAttributes', 'LexInitializationData']) {
    if (action.parameters[key] !== undefined) worked(node, `${key} are not given to the agent`);
    passOver(action.parameters, [key]);
  }
  const timeouts = action.parameters['LexTimeoutSeconds'];
  if (timeouts !== undefined) worked(node, 'the agent decides how long it waits for an answer');
  passOver(action.parameters, ['LexTimeoutSeconds']);
  const named = isObject(first) ? first['Name'] : isObject(second) ? idAtEnd(second['AliasArn']) : undefined;
  const agent = wordOf(displayName(action, 'LexV2Bot') ?? String(named ?? 'bot'), 'bot').toLowerCase();
  worked(
    node,
    `the bot is not in the source: the agent ${agent} of the configuration (\`assistants\`) takes its place`,
  );
  const words = context.text(text === '' ? ssml : text);
  const tools: Record<string, JsonObject> = {};
  const exits: Record<string, string> = {};
  for (const { value, next } of casesOf(action)) {
    const tool = wordOf(value, 'intent').slice(0, 60);
    tools[tool] = { description: textOf(`The caller wants ${value}.`) };
    exits[tool] = context.stepOf(next);
  }
  const other = context.onError(action, 'NoMatchingCondition');
  Object.assign(exits, { done: other, limit: other, error: context.onError(action, 'NoMatchingError') });
  const instructions = words === '' ? undefined : `Begin with: ${words}`;
  context.flow.step(action.step, { assistant: defined<JsonObject>({ agent, instructions, tools }), exits }, node.notes);
};
