/** Files that a flow names: schemas of answers, instructions of agents. They must be in its directory or below it. */
import { resolve } from 'node:path';
import { quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json } from '../../base/core/json.ts';
import { schemaProblem } from '../../base/schema/compile-check.ts';
import { loadDocument } from '../../base/schema/load.ts';
import type { CompileOptions } from './flow-draft.ts';
import { isInside, readInside } from './path-containment.ts';

type Complain = (code: string, message: string, pointer: string, hint?: string) => void;

const TEXT_FILE = /^[\w./-]+\.(md|txt)$/;
const MAX_TEXT_LENGTH = 20_000;

export class NamedFiles {
  /** Content of the files, by their names in the flow. */
  readonly read: Record<string, Json> = {};
  readonly #directory: string | undefined;
  readonly #readFile: CompileOptions['readFile'];
  readonly #complain: Complain;

  constructor(directory: string | undefined, readFile: CompileOptions['readFile'], complain: Complain) {
    this.#directory = directory;
    this.#readFile = readFile;
    this.#complain = complain;
  }

  /** Returns an inline JSON Schema, or the schema in the named file. */
  schema(written: Json, pointer: string): Json {
    let schema = written;
    if (typeof written === 'string') {
      const content = this.#file(written, pointer, 'write the schema here');
      if (content === undefined) return true;
      const loaded = loadDocument(content, written);
      if (loaded.document === undefined) {
        const problem = loaded.diagnostics[0]?.message ?? 'cannot be read';
        this.#complain('bad-schema', `${quoting`${written}`}: ${problem}`, pointer);
        return true;
      }
      schema = loaded.document.value;
      this.read[written] = schema;
    }
    const problem = isObject(schema) ? schemaProblem(schema) : 'it is not a map';
    if (problem !== undefined) this.#complain('bad-schema', `this is not a usable JSON Schema: ${problem}`, pointer);
    return schema;
  }

  /** Returns an inline text, or the text of the named file. */
  text(written: string, pointer: string): string {
    if (!TEXT_FILE.test(written)) return written;
    const content = this.#file(written, pointer, 'write the text here');
    if (content === undefined) return written;
    this.read[written] = content;
    if (content.length <= MAX_TEXT_LENGTH) return content;
    const message = `${quoting`${written}`} has more than ${MAX_TEXT_LENGTH} characters`;
    this.#complain('wrong-value', message, pointer);
    return '';
  }

  #file(name: string, pointer: string, instead: string): string | undefined {
    if (this.#directory === undefined) {
      this.#complain('no-files', 'a flow that is not a file cannot name files', pointer, instead);
      return undefined;
    }
    const path = resolve(this.#directory, name);
    if (!isInside(path, this.#directory)) {
      this.#complain('outside-file', 'files of a flow lie in its directory or below it', pointer);
      return undefined;
    }
    const content = this.#readFile ? this.#readFile(path) : readInside(path, this.#directory);
    if (content === undefined) this.#complain('missing-file', quoting`there is no file ${name}`, pointer);
    return content;
  }
}
