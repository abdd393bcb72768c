/** Files for generated tests, without overwriting existing ones. Used by `explore.ts` and `test-generate.ts`. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../base/core/reason-of.ts';
import { readText } from './find-files.ts';
import { fail, type Terminal } from './terminal.ts';

/** `STEM.test.yaml`, or with a number: a file that does not exist or already has this text. */
export function testFileFor(stem: string, text: string): string {
  for (let number = 1; ; number++) {
    const file = `${stem}${number === 1 ? '' : `-${number}`}.test.yaml`;
    if (!existsSync(file) || readText(file) === text) return file;
  }
}

export function writeTestFile(file: string, text: string, terminal: Terminal): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  } catch (error) {
    fail(terminal, 1, `the test cannot be written: ${reasonOf(error)}`);
  }
}
