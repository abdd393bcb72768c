import { valueIssue } from '../../base/schema/document.ts';
import type { VerbLint } from '../../language/flow/verb-lint.ts';

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
