import { quoting } from '../../core/diagnostic.ts';
import { isObject } from '../../core/json.ts';
import type { VerbLint } from '../../flow/verb-lint.ts';
import { keyIssue, valueIssue } from '../../schema/document.ts';

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
