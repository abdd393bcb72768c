import { quoting } from '../../base/core/diagnostic.ts';
import { isObject } from '../../base/core/json.ts';
import { keyIssue, valueIssue } from '../../base/schema/document.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

export const lint: VerbLint = {
  *check({ argsPointer, compiled }) {
    const cases = Array.isArray(compiled.args) ? compiled.args.filter(isObject) : [];
    const last = cases.length - 1;
    const names = new Set<string>();
    for (const [index, written] of cases.entries()) {
      const pointer = `${argsPointer}/${index}`;
      if (written['else'] !== undefined && index < last) {
        yield keyIssue('else-not-last', `${pointer}/else`, quoting`cases after ${'else'} are never looked at`);
      }
      const name = written['name'];
      if (typeof name !== 'string') continue;
      if (names.has(name)) yield valueIssue('same-case', `${pointer}/name`, quoting`there is another case ${name}`);
      names.add(name);
    }
    if (cases[last]?.['else'] === undefined && !cases.some((written) => written['else'] !== undefined)) {
      const hint = 'end the list with { else: a_step }';
      yield keyIssue('branch-without-else', argsPointer, 'no case holds for everything else', hint);
    }
  },
};
