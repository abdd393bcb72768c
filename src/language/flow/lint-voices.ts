/** Reports voice names that no configured engine has, or that look like a misspelt `female` or `male`. */
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json } from '../../base/core/json.ts';
import { childPointer, type Issue, isAtOrBelow, valueIssue, walk } from '../../base/schema/document.ts';
import { didYouMean } from '../../base/schema/suggest.ts';
import { assignmentsOf, type FlowDraft } from './flow-draft.ts';
import { hasExpression } from './outcome-conditions.ts';

const KINDS = ['female', 'male'];

export function* lintVoices(draft: FlowDraft): Generator<Issue> {
  const known = draft.options.configured?.voices;
  const names = known?.map((name) => name.toLowerCase());
  for (const [pointer, name] of written(draft)) {
    if (KINDS.includes(name) || names?.includes(name.toLowerCase())) continue;
    const kind = /^[a-z]+$/.test(name) ? didYouMean(name, KINDS) : undefined;
    if (names === undefined && kind === undefined) continue;
    const message = names
      ? quoting`no engine of the configuration has the voice ${name}`
      : quoting`${name} is a name that a voice hardly has`;
    const hint = kind ?? didYouMean(name, known ?? []) ?? 'add it under speech: { tts: [{ voices: { … } }] }';
    yield valueIssue('unknown-voice', pointer, message, hint);
  }
}

/** Each literal voice name and its pointer. */
function* written({ root, steps }: FlowDraft): Generator<[pointer: string, name: string]> {
  const defaults = root['defaults'];
  if (isObject(defaults)) yield* namesIn(defaults['voice'], '/defaults/voice');
  yield* inPrompts(root['prompts'] ?? null, '/prompts');
  for (const step of steps.values()) {
    const { pointer, argsPointer, spec, compiled } = step;
    const own = root['steps'];
    const source = isObject(own) ? own[compiled.name] : undefined;
    if (isObject(source)) yield* namesIn(source['voice'], `${pointer}/voice`);
    const { values, at } = assignmentsOf(step);
    yield* namesIn(values['call.voice'], childPointer(at, 'call.voice'));
    const { args } = compiled;
    const { prompts = [] } = spec;
    for (const [place, value] of prompts.length === 0 ? [] : walk(args)) {
      if (!isObject(value) || value['voice'] === undefined) continue;
      // The prompt may be the whole argument of the verb.
      const isPrompt = !isObject(args) || isAtOrBelow(place, prompts);
      if (isPrompt) yield* namesIn(value['voice'], `${argsPointer}${place}/voice`);
    }
  }
}

/** Voice names in the prompt table, in which a prompt may itself be called `voice`. */
function* inPrompts(prompts: Json, at: string): Generator<[pointer: string, name: string]> {
  for (const [pointer, value] of walk(prompts, at)) {
    const isPiece = isObject(value) && (value['text'] !== undefined || value['ssml'] !== undefined);
    if (isPiece) yield* namesIn(value['voice'], `${pointer}/voice`);
  }
}

function* namesIn(value: Json | undefined, pointer: string): Generator<[pointer: string, name: string]> {
  if (value === undefined) return;
  for (const [at, name] of walk(value, pointer)) {
    if (typeof name === 'string' && !hasExpression(name)) yield [at, name];
  }
}
