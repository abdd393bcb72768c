/** Documents of SSML in prompts are documents: a caller would hear nothing of one that is not. */
import { isObject, type Json } from '../core/json.ts';
import { childPointer, type Issue, valueAt } from '../schema/document.ts';
import { ssmlProblems } from '../speech/ssml/read-ssml.ts';
import type { FlowDraft } from './flow-draft.ts';
import { hasExpression } from './template.ts';

export function* lintSsml({ root, steps }: FlowDraft): Generator<Issue> {
  if (isObject(root['prompts'])) yield* problemsIn(root['prompts'], '/prompts');
  for (const { spec, compiled, argsPointer } of steps.values()) {
    for (const pattern of spec.prompts ?? []) {
      const written = valueAt(compiled.args, pattern);
      if (written !== undefined) yield* problemsIn(written, argsPointer + pattern);
    }
  }
}

/** What templates give is known on the call only. */
function* problemsIn(written: Json, pointer: string): Generator<Issue> {
  if (Array.isArray(written)) {
    for (const [index, item] of written.entries()) yield* problemsIn(item, childPointer(pointer, index));
  } else if (isObject(written)) {
    for (const [key, value] of Object.entries(written)) {
      if (key !== 'ssml' || typeof value !== 'string') yield* problemsIn(value, childPointer(pointer, key));
      else if (!hasExpression(value)) yield* complaintsAbout(value, childPointer(pointer, key));
    }
  }
}

function* complaintsAbout(ssml: string, pointer: string): Generator<Issue> {
  const [first] = ssmlProblems(ssml.trim());
  if (!first) return;
  yield {
    code: 'wrong-ssml',
    message: `this is not SSML that can be spoken: ${first.message} (line ${first.line}, column ${first.column} of it)`,
    pointer,
    hint: 'the elements that are taken are in docs/speech.md',
  };
}
