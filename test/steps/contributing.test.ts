/** Runs the example of a verb in CONTRIBUTING.md as it is written. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { compileFlow } from '../../src/flow/compile.ts';
import { verbSchemas } from '../../src/schema/schema-forms.ts';
import type { StepDefinition } from '../../src/steps/step.ts';
import { stepsByVerb, verbs } from '../../src/verbs/steps.ts';
import { startCall } from '../runtime/test-call.ts';
import { flowText } from './scripted-call.ts';

const SOURCES = new URL('../../src/', import.meta.url);

async function exampleStep(): Promise<StepDefinition> {
  const page = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');
  const [, schema, code] = /## Adding a verb.*?```json\n(.*?)```.*?```ts\n(.*?)```/s.exec(page)!;
  const schemas = verbSchemas as Map<string, JsonObject>;
  schemas.set('beep', JSON.parse(schema!) as JsonObject);
  onTestFinished(() => void schemas.delete('beep'));
  const folder = mkdtempSync(join(tmpdir(), 'callweave-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'step.ts');
  writeFileSync(file, code!.replaceAll("'../../", `'${SOURCES}`));
  const { step } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { step: StepDefinition };
  return step;
}

it('runs the example verb of CONTRIBUTING: answers, beeps and is done', async () => {
  const beep = await exampleStep();
  const text = flowText('  first: { beep: { duration: 300ms }, next: bye }');
  const { flow } = compileFlow(text, 'test.flow.yaml', [...verbs, beep]);
  const call = await startCall(flow!, { ports: { steps: new Map([...stepsByVerb, ['beep', beep]]) } });
  expect(call.lastPlay().audio).toEqual([{ type: 'tone', frequencyHz: 1000, durationMs: 300 }]);
  await call.finishPlay();
  expect(call.path()).toEqual(['first', 'bye']);
  expect(call.outcomes()[0]).toBe('first:done');
});
