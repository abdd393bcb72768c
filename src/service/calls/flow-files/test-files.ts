/** Tests of flows: files `*.test.yaml` below the directory of flows, each of which names its flow. */
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isTestFile } from '../../../language/flow/flow-file.ts';
import { OTHER_FOLDERS } from '../../../language/flow/flow-folder.ts';
import { mainFlowOf } from '../../../language/flow/local-flows.ts';
import { CallError } from '../call-error.ts';
import type { FlowFinder } from './find-flows.ts';
import { type Precondition, requireMatch } from './precondition.ts';
import { checkedText, type TextFile, type TextFiles } from './text-files.ts';

export interface TestFile {
  /** Relative to the directory of flows. */
  file: string;
  /** Name given in the test. */
  name: string;
  text: string;
  etag: string;
}

export interface TestFiles {
  list(flow: string): Promise<TestFile[]>;
  /** Test files of a flow, which may not be saved yet. */
  of(flow: { name: string; path: string }): Promise<TestFile[]>;
  show(flow: string, file: string): Promise<TestFile>;
  save(flow: string, file: string, order: { text: string; precondition: Precondition }): Promise<SavedTest>;
  /** Throws if the text cannot be saved under this name as a test of the flow, which may not be saved yet. */
  requireTest(flow: { name: string; path: string } | undefined, file: string, text: string): void;
  shownAs(file: TextFile): TestFile;
  /** Returns the etag of the removed text. */
  remove(flow: string, file: string, precondition: Precondition): Promise<string>;
  countByFlow(): Promise<ReadonlyMap<string, number>>;
}

export interface SavedTest {
  saved: TestFile;
  before?: string;
}

/** Hidden files are ignored. */
const isTest = (name: string): boolean => isTestFile(name) && !name.startsWith('.');
/** Names allowed for a new file and its folders: portable characters, no hidden folders. */
const NEW_NAME = /^(?:[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}\/){0,4}[A-Za-z0-9_][A-Za-z0-9_. -]{0,99}\.test\.(ya?ml|json)$/;
const MAX_FILES = 2000;
const MAX_DEPTH = 5;

export function createTestFiles(directory: string, files: TextFiles, finder: FlowFinder): TestFiles {
  const namesBelow = async (folder: string, depth: number): Promise<string[]> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const found: string[] = [];
    for (const entry of entries.sort((one, other) => one.name.localeCompare(other.name))) {
      const path = join(folder, entry.name);
      const isOther = entry.name.startsWith('.') || OTHER_FOLDERS.has(entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH && !isOther) found.push(...(await namesBelow(path, depth + 1)));
      else if (!entry.isDirectory() && isTest(entry.name)) found.push(files.nameOf(path)!);
    }
    return found.slice(0, MAX_FILES);
  };

  const all = async (): Promise<TextFile[]> => {
    const read = await Promise.all((await namesBelow(directory, 0)).map((file) => files.read(file)));
    return read.filter((one) => one !== undefined);
  };

  /** A test names its flow, or the path of the flow's file. */
  const isOf = ({ file, text }: TextFile, flow: { name: string; path: string }): boolean => {
    const named = keyIn(text, 'flow');
    if (named === undefined) return false;
    const isPath = /\.(ya?ml|json)$/.test(named);
    // Tests of a local flow are stored with those of the file's main flow.
    return isPath ? resolve(directory, dirname(file), named) === flow.path : mainFlowOf(named) === flow.name;
  };

  const flowOf = async (name: string): Promise<{ name: string; path: string }> => {
    const found = await finder.find(name);
    if (!found) throw new CallError('unknown_flow', `there is no flow ${name}`);
    return found;
  };

  const find = async (name: string, file: string): Promise<TextFile | undefined> => {
    if (!isTest(file.split('/').at(-1)!)) throw unknownTest();
    const [flow, stored] = [await flowOf(name), await files.read(file)];
    return stored && isOf(stored, flow) ? stored : undefined;
  };

  const requireTest: TestFiles['requireTest'] = (flow, file, text) => {
    if (!NEW_NAME.test(file)) throw unknownTest('name it *.test.yaml, in letters, digits, _, - and .');
    const other = file.split('/').find((part) => OTHER_FOLDERS.has(part));
    if (other !== undefined) {
      const hint = 'Save the test in another folder';
      throw new CallError('unknown_setting', `tests in folders named \`${other}\` are not read`, { hint });
    }
    if (!flow) throw new CallError('unknown_flow', 'there is no flow of this name');
    if (!isOf({ file, text, etag: '' }, flow)) {
      throw new CallError('flow_invalid', `the test is not of the flow ${flow.name}`, {
        hint: `it begins with  flow: ${flow.name}`,
      });
    }
  };

  const of: TestFiles['of'] = async (flow) => (await all()).filter((one) => isOf(one, flow)).map(testOf);

  return {
    of,
    list: async (name) => of(await flowOf(name)),
    async show(name, file) {
      const found = await find(name, file);
      if (!found) throw unknownTest();
      return testOf(found);
    },
    requireTest,
    shownAs: testOf,
    async save(name, file, { text, precondition }) {
      checkedText(text);
      requireTest(await finder.find(name), file, text);
      return files.inTurn(async () => {
        // The file may be a test of another flow.
        const now = await files.read(file);
        requireMatch(precondition, now);
        const saved = testOf(await files.write({ file, text, before: now?.etag }));
        return { saved, ...(now && { before: now.etag }) };
      });
    },
    remove: (name, file, precondition) =>
      files.inTurn(async () => {
        const found = await find(name, file);
        if (!found) throw unknownTest();
        requireMatch(precondition, found);
        await files.remove(file);
        return found.etag;
      }),
    async countByFlow() {
      const counts = new Map<string, number>();
      const found = await finder.list();
      for (const test of await all()) {
        const flow = found.find((one) => isOf(test, one));
        if (flow) counts.set(flow.name, (counts.get(flow.name) ?? 0) + 1);
      }
      return counts;
    },
  };
}

const testOf = ({ file, text, etag }: TextFile): TestFile => ({ file, text, etag, name: keyIn(text, 'test') ?? file });

const unknownTest = (hint?: string): CallError =>
  new CallError('unknown_setting', 'there is no such test', hint === undefined ? {} : { hint });

/** Value of a top-level key on one line; also works on incomplete texts. */
function keyIn(text: string, key: 'flow' | 'test'): string | undefined {
  const json = new RegExp(`"${key}"\\s*:\\s*"([^"\\n]*)"`);
  const yaml = new RegExp(
    `^(["']?)${key}\\1[ \\t]*:[ \\t]*(?:"([^"\\n]*)"|'([^'\\n]*)'|([^\\s#][^\\n#]*?))[ \\t]*(?:#.*)?\\r?$`,
    'm',
  );
  if (/^\s*\{/.test(text)) return json.exec(text)?.[1];
  const [, , double, single, plain] = yaml.exec(text) ?? [];
  return double ?? single ?? plain;
}
