/**
 * Which files of the directory are flows, and of what names: by the text, or by the file's name where the text does not say.
 * Flows that come with the program are among them. Files are looked at each time, as others may change them, too.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isInside } from '../../flow/contained-files.ts';
import { isFlowByName, looksLikeFlow } from '../../flow/flow-file.ts';
import { BUILT_IN_FLOWS, type FlowLibrary, type FlowSource, flowFiles } from '../../flow/flow-library.ts';
import { createTextFiles, type TextFile, type TextFiles } from './text-files.ts';

export interface FoundFlow {
  name: string;
  /** Absolute. */
  path: string;
  stored: TextFile;
  /** What the library has of this file. */
  source?: FlowSource;
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
    for (const path of existsSync(directory) ? flowFiles(directory) : []) {
      const source = sources.get(path);
      const stored = await files.read(files.nameOf(path)!);
      if (!stored || !(source || isFlowByName(path) || looksLikeFlow(stored.text))) continue;
      const name = nameInText(stored.text) ?? source?.name ?? nameOfFile(path);
      const isBuiltIn = isInside(path, BUILT_IN_FLOWS);
      add({ name, path, stored, isBuiltIn, ...(source && { source }) });
    }
    // The files that calls take have their names; others of the same name stand behind them.
    for (const name of flows.names()) {
      const { file } = flows.get(name)!;
      if (!isInside(file, BUILT_IN_FLOWS) || found.some(({ path }) => path === file)) continue;
      const stored = await ours.read(ours.nameOf(file)!);
      if (stored) add({ name, path: file, stored: { ...stored, file: `builtin/${stored.file}` }, isBuiltIn: true });
    }
    return found;
  };

  /** Those who ask at the same time see the same. */
  const list = (): Promise<FoundFlow[]> => {
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
    async find(name: string, { isFresh = false } = {}): Promise<FoundFlow | undefined> {
      const found = await (isFresh ? look() : list());
      return found.find((one) => one.name === name);
    },
    /** Something was written. */
    forget: () => {
      listing = undefined;
    },
    /** Where a flow that is not there yet is kept. */
    async newPath(name: string): Promise<string> {
      for (let copy = 1; ; copy++) {
        const path = join(directory, `${name}${copy === 1 ? '' : `.${copy}`}.flow.yaml`);
        if (!existsSync(path)) return path;
      }
    },
  };
}

/** What a text, sound or not, says that it is called. */
export function nameInText(written: string): string | undefined {
  const text = written.replace(/^\uFEFF/, '');
  const isJson = /^\s*\{/.test(text);
  const key = isJson
    ? /"flow"\s*:\s*"([^"\n]*)"/.exec(text)
    : /^(["']?)flow\1[ \t]*:[ \t]*(["']?)([^"'\s#]+)\2[ \t]*(?:#.*)?\r?$/m.exec(text);
  const name = isJson ? key?.[1] : key?.[3];
  return name !== undefined && NAME.test(name) ? name : undefined;
}

/** Why a text is not saved as a flow: it says that it is another one. */
export const otherFlow = (written: string, name: string): { message: string; hint: string } => ({
  message: `the text is that of the flow ${written}, not of ${name}`,
  hint: 'save it under its own name, or change the key `flow`',
});

/** What a flow is called by its text, or else by its file. */
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
