import { quoting } from '../../base/core/diagnostic.ts';
import { isObject } from '../../base/core/json.ts';
import { type Issue, keyIssue, valueIssue } from '../../base/schema/document.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = {
  *check({ argsPointer, compiled }) {
    const cases = Array.isArray(compiled.args) ? compiled.args.filter(isObject) : [];
    const last = cases.length - 1;
    const names = new Set<string>();
    const conditions = new Set<string>();
    for (const [index, written] of cases.entries()) {
      const pointer = `${argsPointer}/${index}`;
      if (written['else'] !== undefined && index < last) {
        yield keyIssue('else-not-last', `${pointer}/else`, quoting`cases after ${'else'} are never looked at`);
      }
      const name = written['name'];
      const isTwice = typeof name === 'string' && names.has(name);
      if (isTwice) yield valueIssue('same-case', `${pointer}/name`, quoting`there is another case ${name}`);
      if (typeof name === 'string') names.add(name);
      const when = typeof written['when'] === 'string' ? written['when'].replaceAll(/\s+/g, ' ').trim() : undefined;
      if (when !== undefined && !isTwice) yield* condition(when, `${pointer}/when`, conditions);
    }
    if (cases[last]?.['else'] === undefined && !cases.some((written) => written['else'] !== undefined)) {
      const hint = 'end the list with { else: a_step }';
      yield keyIssue('branch-without-else', argsPointer, 'no case holds for everything else', hint);
    }
  },
};

/** Reports a case that is never reached, because a case before it has the same condition, and one that is constant. */
function* condition(when: string, pointer: string, before: Set<string>): Generator<Issue> {
  const hint = "compare it with a value: vars.x = 'gold'";
  if (/^('[^']*'|"[^"]*"|-?\d+(\.\d+)?)$/.test(when)) {
    yield valueIssue('dead-case', pointer, 'this condition is a value, and always the same', hint);
  } else if (before.has(when)) {
    yield valueIssue('dead-case', pointer, 'a case before has the same condition, so that this one is never taken');
  }
  before.add(when);
}
