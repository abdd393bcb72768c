/** Puts the steps of a local flow in the place of the step that runs it, once its tests are proved to pass as before. */
import { applyEdits, isRefusal } from '../../../../language/flow/text/edits.ts';
import type { Inlined } from '../../../../language/flow/text/inline-flow.ts';
import { type InlinedIn, inlineInTest } from '../../../../language/flow/text/inline-in-test.ts';
import { listText, t } from '../../../shared/web/words/translate.ts';
import { announce, tell, tellError } from '../shell/messages.tsx';
import { readTests } from '../tests/test-run.ts';
import type { EditorParts } from './editor-parts.ts';
import { isProved, type Proof, prove, testAfter } from './extract-session.ts';
import { editsOf, refuse } from './make-edits.ts';

/** Without a step, it asks for one. The code is loaded when it is first used. */
export async function inlineInEditor(parts: EditorParts, step: string | undefined): Promise<void> {
  const { draft, language } = parts;
  if (draft.isLocked) return;
  if (step === undefined) {
    tell(t('Select a step that runs a flow of this file'));
    return;
  }
  const { inlineStep } = await import('../../../../language/flow/text/inline-flow.ts');
  const text = draft.text.peek();
  const made = inlineStep(text, { step, language });
  if (isRefusal(made)) {
    refuse(made);
    return;
  }
  announce(t('Checking the new flow, and running its tests …'));
  try {
    const { proof, inlined } = await proveInlining(parts, text, made);
    if (draft.text.peek() !== text) return;
    if (!isProved(proof)) {
      refuse({ refused: proof.errors[0] ?? t('These tests would fail: {tests}', { tests: listText(proof.broken) }) });
      return;
    }
    const { edits, flow, entry } = made;
    const title = t('put the steps of {flow} here', { flow });
    if (!editsOf(parts)(edits, { title, said: t('The steps of {flow} are here now', { flow }) })) return;
    draft.inlinings.push(inlined);
    draft.selected.value = entry;
  } catch (error) {
    tellError(error as Error);
  }
}

async function proveInlining(
  { draft: { name: flow }, language }: EditorParts,
  text: string,
  { edits, names }: Inlined,
): Promise<{ proof: Proof; inlined: InlinedIn }> {
  const tests = await readTests(flow);
  let inlined: InlinedIn = { flow, made: names, visited: {} };
  const order = {
    ...{ flow, text, after: applyEdits(text, edits), tests },
    follow(test: (typeof tests)[number], before: Parameters<Parameters<typeof prove>[0]['follow']>[1]) {
      inlined = { ...inlined, visited: Object.fromEntries(before.reports.map(({ file, path }) => [file, path])) };
      return testAfter(test.text, (plain) => inlineInTest(plain, test.file, inlined, language.verbs));
    },
  };
  return { proof: await prove(order, new AbortController().signal), inlined };
}
