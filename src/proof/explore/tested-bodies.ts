/** Reads the response bodies of mocked requests from the tests in a folder, by step. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../base/core/json.ts';
import { isTestFile } from '../../language/flow/flow-file.ts';
import { loadScenario } from '../testkit/scenario-file.ts';

export function testedBodies(folder: string): Record<string, Json[]> {
  const found: Record<string, Json[]> = {};
  for (const name of readdirSync(folder)) {
    if (!isTestFile(name)) continue;
    const file = join(folder, name);
    const { scenario } = loadScenario(readFileSync(file, 'utf8'), file);
    for (const [step, mocks] of Object.entries(scenario?.mocks ?? {})) {
      for (const mock of [mocks].flat()) {
        if (mock.kind !== 'reply' || mock.status >= 300 || mock.body === null) continue;
        found[step] = [...(found[step] ?? []), mock.body];
      }
    }
  }
  return found;
}
