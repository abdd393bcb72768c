/**
 * Context for reading the sections of the configuration: source document, environment and diagnostics, which are
 * collected so that all of them are reported at once.
 */
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { type Diagnostic, quoting } from '../base/core/diagnostic.ts';
import { mapValues } from '../base/core/json.ts';
import { childPointer, type SourceDocument, toDiagnostic } from '../base/schema/document.ts';

export { type CamelCased, camelCased } from '../base/core/key-case.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A secret as written in the file. */
export type WrittenSecret = string | { env?: string; file?: string };

/** Limit for a secret file; the secret is its text without surrounding white space. */
const MAX_SECRET_BYTES = 65_536;

export class ConfigContext {
  readonly diagnostics: Diagnostic[] = [];
  readonly document: SourceDocument;
  readonly environment: Environment;
  /** Ids of the configured projects, once the section `projects` has been read. */
  projectIds: readonly string[] = [];
  readonly #directory: string;

  constructor(document: SourceDocument, directory: string, environment: Environment) {
    this.document = document;
    this.#directory = directory;
    this.environment = environment;
  }

  report(code: string, message: string, pointer: string, hint?: string): void {
    this.diagnostics.push(toDiagnostic(this.document, { code, message, pointer, hint }));
  }

  /** `pointer` is the location of a name, with `*` for its index in the list. */
  refuseDuplicates(pointer: string, names: readonly string[], noun: string): void {
    const pointerOf = (index: number): string => pointer.replace('*', String(index));
    for (const [index, name] of names.entries()) {
      const first = names.indexOf(name);
      if (first === index) continue;
      const { line } = this.document.locationOf(pointerOf(first));
      this.report('duplicate', `duplicate ${noun}`, pointerOf(index), `first defined at line ${line}`);
    }
  }

  /** `pointer` is the location of the object that names the project. */
  checkProject(project: string | undefined, pointer: string): void {
    if (project === undefined || this.projectIds.includes(project)) return;
    const known = this.projectIds.join(', ');
    const hint = known === '' ? 'add it to projects' : `the projects are ${known}`;
    this.report('unknown-project', quoting`unknown project ${project}`, childPointer(pointer, 'project'), hint);
  }

  path(written: string): string {
    return isAbsolute(written) ? written : resolve(this.#directory, written);
  }

  existingFile(written: string, pointer: string): string {
    const path = this.path(written);
    if (!isFile(path)) this.report('missing-file', `file not found: ${path}`, pointer);
    return path;
  }

  /** Returns an empty text, and reports a diagnostic, if the variable is missing. */
  variable(name: string, pointer: string): string {
    const value = this.environment[name];
    if (value !== undefined && value !== '') return value;
    const hint = `set it before the start: ${name}=… callweave start`;
    this.report('missing-variable', `the environment variable ${name} is not set`, pointer, hint);
    return '';
  }

  /** Returns the value of the secret. Returns an empty text, and reports a diagnostic, if it is missing. */
  secret(written: WrittenSecret, pointer: string): string {
    if (typeof written === 'string') return written;
    if (written.env !== undefined) return this.variable(written.env, childPointer(pointer, 'env'));
    const path = this.path(written.file ?? '');
    const at = childPointer(pointer, 'file');
    try {
      if (statSync(path).size > MAX_SECRET_BYTES) throw new Error('it is too large');
      const secret = readFileSync(path, 'utf8').trim();
      if (secret === '') this.report('missing-secret', `the file ${path} is empty`, at);
      return secret;
    } catch (error) {
      this.report('missing-secret', `the file ${path} cannot be read: ${reasonOf(error)}`, at);
      return '';
    }
  }

  secrets(written: Readonly<Record<string, WrittenSecret>>, pointer: string): Record<string, string> {
    return mapValues(written, (value, name) => this.secret(value, childPointer(pointer, name)));
  }

  optionalSecret(written: WrittenSecret | undefined, pointer: string): string | undefined {
    return written === undefined ? undefined : this.secret(written, pointer);
  }
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'permission denied' : message;
}
