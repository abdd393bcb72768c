/**
 * What ajv makes of our own schemas is kept for the next process: to make it anew is a third of a start. Neighbour:
 * `validate.ts`, which says where.
 *
 * Invariants
 *  - a file is named after all that it is made of, so that nothing out of date is found;
 *  - a file that is missing or broken costs time, and nothing else.
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

/** How the code of a validator calls what makes its patterns. */
export const PATTERN_MAKER = 'ownPattern';
type PatternMaker = (pattern: string, flags: string) => { test(text: string): boolean };
/** What a file exports. */
type MakeValidator = (require: NodeJS.Require, ownPattern: PatternMaker) => ValidateFunction;

/**
 * Finds the validator of a schema that `compile` made in an earlier process, or makes it now. What JSON says of `common` is
 * what all of them are made of beside their schemas. The ajv that compiles them has to remember their code (`code.source`).
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
    // Others may read it at any moment.
    const written = `${file}.${randomUUID()}`;
    writeFileSync(written, program, { mode: 0o600 });
    renameSync(written, file);
  } catch {
    // A folder that cannot be written.
  }
}
