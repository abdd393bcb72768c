/**
 * Finds the flow files of the directory and their names: from the text, or from the file name if the text has none.
 * Includes the built-in flows. Files are read again on each listing, because other programs may change them.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isFlowByName, looksLikeFlow } from '../../../language/flow/flow-file.ts';
import { BUILT_IN_FLOWS, type FlowLibrary, flowFiles, type LibraryFile } from '../../../language/flow/flow-library.ts';
import { isInside } from '../../../language/flow/path-containment.ts';
import { createTextFiles, type TextFile, type TextFiles } from './text-files.ts';

export interface FoundFlow {
  name: string;
  /** Absolute path. */
  path: string;
  stored: TextFile;
  /** The library's entry for this file. */
  source?: LibraryFile;
  isBuiltIn: boolean;
}

export type FlowFinder = ReturnType<typeof createFlowFinder>;

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

export function createFlowFinder(directory: string, files: TextFiles, flows: FlowLibrary) {
  const ours = createTextFiles(BUILT_IN_FLOWS);
  let listing: Promise<FoundFlow[]> | undefined;

  const look = async (): Promise<FoundFlow[]> => {
    const sources = new Map(flows.sources().map((source) => [resolve(source.file), source]));
    const found: FoundFlow[] = [];
    const taken = new Set<string>();
    const add = (flow: FoundFlow): void => {
      const name = freeName(flow.name, flow.path, taken);
      taken.add(name);
      found.push({ ...flow, name });
    };
    const inFolder = existsSync(directory) ? flowFiles(directory) : [];
    const named = [...sources.keys()].filter((path) => isInside(path, resolve(directory)));
    for (const path of new Set([...inFolder, ...named])) {
      const source = sources.get(path);
      const stored = await files.read(files.nameOf(path)!);
      if (!stored || !(source || isFlowByName(path) || looksLikeFlow(stored.text))) continue;
      const name = nameInText(stored.text) ?? source?.name ?? nameOfFile(path);
      const isBuiltIn = isInside(path, BUILT_IN_FLOWS);
      add({ name, path, stored, isBuiltIn, ...(source && { source }) });
    }
    // Files in use keep their names; further files of the same name get another one.
    for (const name of flows.names()) {
      const { file } = flows.get(name)!;
      if (!isInside(file, BUILT_IN_FLOWS) || found.some(({ path }) => path === file)) continue;
      const stored = await ours.read(ours.nameOf(file)!);
      if (stored) add({ name, path: file, stored: { ...stored, file: `builtin/${stored.file}` }, isBuiltIn: true });
    }
    return found;
  };

  /** Concurrent callers share one listing, unless it must be fresh. */
  const list = ({ isFresh = false } = {}): Promise<FoundFlow[]> => {
    if (isFresh) return look();
    const looking =
      listing ??
      look().finally(() => {
        if (listing === looking) listing = undefined;
      });
    listing = looking;
    return looking;
  };

  return {
    list,
    find: async (name: string): Promise<FoundFlow | undefined> => (await list()).find((one) => one.name === name),
    /** Discards the listing after a write. */
    forget: () => {
      listing = undefined;
    },
    /** Path of a new flow's file. */
    async newPath(name: string): Promise<string> {
      for (let copy = 1; ; copy++) {
        const path = join(directory, `${name}${copy === 1 ? '' : `.${copy}`}.flow.yaml`);
        if (!existsSync(path)) return path;
      }
    },
  };
}

/** Name given in the text, which may be invalid YAML. */
export function nameInText(written: string): string | undefined {
  const text = written.replace(/^\uFEFF/, '');
  const isJson = /^\s*\{/.test(text);
  const key = isJson
    ? /"flow"\s*:\s*"([^"\n]*)"/.exec(text)
    : /^(["']?)flow\1[ \t]*:[ \t]*(["']?)([^"'\s#]+)\2[ \t]*(?:#.*)?\r?$/m.exec(text);
  const name = isJson ? key?.[1] : key?.[3];
  return name !== undefined && NAME.test(name) ? name : undefined;
}

/** Error for a text that names a different flow. */
export const otherFlow = (written: string, name: string): { message: string; hint: string } => ({
  message: `the text is that of the flow ${written}, not of ${name}`,
  hint: 'save it under its own name, or change the key `flow`',
});

/** Name of a flow from its text, or else from its file. */
export const nameOfFlowFile = (path: string, text: string): string => nameInText(text) ?? nameOfFile(path);

function nameOfFile(path: string): string {
  const name = basename(path)
    .replace(/(\.flow)?\.(ya?ml|json)$/, '')
    .replace(/[^A-Za-z0-9_.-]/g, '_')
    .replace(/^[.-]+/, '')
    .slice(0, 90);
  return name === '' ? 'flow' : name;
}

function freeName(name: string, path: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const candidates = [nameOfFile(path), `${basename(dirname(path))}.${nameOfFile(path)}`].filter((one) =>
    NAME.test(one),
  );
  const free = candidates.find((one) => !taken.has(one));
  for (let copy = 2; free === undefined; copy++) {
    if (!taken.has(`${name}.${copy}`)) return `${name}.${copy}`;
  }
  return free;
}
