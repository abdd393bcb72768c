/** The saved tests of a flow: files `*.test.yaml` beside it that name it. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { DOCUMENT_LIMITS } from '../../schema/document.ts';
import type { TestText, TriedFlow } from './flow-trial.ts';

const TEST_FILE = /\.test\.(ya?ml|json)$/;
const MAX_TESTS = 500;

/** `file` of a test is below the directory of flows. */
export function testsBeside({ file: flowFile, name: flow }: TriedFlow, directory: string): TestText[] {
  const folder = dirname(flowFile);
  const found: TestText[] = [];
  for (const name of namesIn(folder)) {
    const file = join(folder, name);
    const text = TEST_FILE.test(name) && found.length < MAX_TESTS ? readTest(file) : undefined;
    if (text !== undefined && [flow, basename(flowFile)].includes(testedFlow(text) ?? ''))
      found.push({ file: relative(directory, file), text });
  }
  return found;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function readTest(file: string): string | undefined {
  try {
    const stats = statSync(file);
    return stats.isFile() && stats.size <= DOCUMENT_LIMITS.bytes ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** Without reading all of it. */
const testedFlow = (text: string): string | undefined =>
  /^["'{ ]*flow["']?[ \t]*:[ \t]*["']?([^\s"',#]+)/m.exec(text)?.[1];
