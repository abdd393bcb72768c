/**
 * Completes the fields of a step's result after `steps.NAME.` in expressions. `completion.ts` proposes everything else.
 */
import { NAME_CHARACTERS } from '../name-patterns.ts';
import { type Completion, type CompletionContext, verbAt } from './completion.ts';
import { verbOf } from './language.ts';

const RESULT = new RegExp(`\\bsteps\\.(?:([${NAME_CHARACTERS}]+)|\`([^\`\\n]+)\`)\\.(\\w*)$`, 'u');

export function completeResult(text: string, at: number, context: CompletionContext): Completion | undefined {
  const found = RESULT.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));
  if (found === null) return undefined;
  const [, plain, quoted, typed] = found;
  const verb = verbOf(context.language, verbAt(context, plain ?? quoted));
  const options = Object.entries(verb?.result?.properties ?? {}).map(([label, { description }]) => ({
    label,
    kind: 'result' as const,
    ...(description !== undefined && { info: description }),
  }));
  return { from: at - typed!.length, options };
}
