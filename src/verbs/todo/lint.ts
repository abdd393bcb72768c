import type { VerbLint } from '../../flow/verb-lint.ts';
import { valueIssue } from '../../schema/document.ts';

export const lint: VerbLint = {
  *check({ argsPointer, compiled }, args) {
    const what = String(args['what'] ?? compiled.args);
    yield valueIssue(
      'todo',
      argsPointer,
      `this step is still to be written: ${what}`,
      'write the step, or lead past it',
    );
  },
};
