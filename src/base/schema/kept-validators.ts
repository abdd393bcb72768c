/**
 * Cache of compiled ajv validators on disk: compiling them takes a third of the start time. `validate.ts` chooses the
 * folder.
 *
 * Invariants
 * - the name of a file contains a hash of everything it depends on, so that outdated files are never used;
 * - a missing or broken file only costs time.
 */
import { createHash, randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import type { JsonObject } from '../core/json.ts';

const require = createRequire(import.meta.url);
const { version: AJV_VERSION } = require('ajv/package.json') as { version: string };

/** Name of the pattern factory in the generated code. */
export const PATTERN_MAKER = 'ownPattern';
type PatternMaker = (pattern: string, flags: string) => { test(text: string): boolean };
/** Export of a cached file. */
type MakeValidator = (require: NodeJS.Require, ownPattern: PatternMaker) => ValidateFunction;

/**
 * Loads the validator of a schema from the cache, or compiles and stores it. `common`, serialised to JSON, contains
 * everything besides the schema on which validators depend. The ajv instance must keep generated code (`code.source`).
 */
export function keptValidators(common: unknown, ownPattern: PatternMaker, directory: string | undefined) {
  const base = createHash('sha256').update(JSON.stringify([AJV_VERSION, common]));
  return (schema: JsonObject, compile: () => { ajv: Ajv2020; validate: ValidateFunction }): ValidateFunction => {
    if (directory === undefined) return compile().validate;
    const hash = base.copy().update(JSON.stringify(schema)).digest('hex').slice(0, 32);
    const file = join(directory, `validator-${hash}.cjs`);
    try {
      return (require(file) as MakeValidator)(require, ownPattern);
    } catch {
      const { ajv, validate } = compile();
      keep(file, standalone.default(ajv, validate));
      return validate;
    }
  };
}

function keep(file: string, code: string): void {
  const program = `module.exports = (require, ${PATTERN_MAKER}) => {\nconst module = {};\n${code}\nreturn module.exports;\n};\n`;
  try {
    // Write and rename, because another process may read the file at any time.
    const written = `${file}.${randomUUID()}`;
    writeFileSync(written, program, { mode: 0o600 });
    renameSync(written, file);
  } catch {
    // The folder is not writable.
  }
}
