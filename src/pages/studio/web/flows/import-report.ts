/** Import of files of other systems: the request, its limits, and the report. Used by `import-flow.tsx`. */

import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';

export interface FileToImport {
  file: string;
  text: string;
}

export type NodeFidelity = 'exact' | 'workaround' | 'todo' | 'none';

export interface ReportedNode {
  kind: string;
  name?: string;
  file: string;
  line: number;
  fidelity: NodeFidelity;
  steps: string[];
  notes: string[];
}

interface ImportProblem {
  severity: 'error' | 'warning';
  code: string;
  message: string;
  file: string;
  line: number;
  hint?: string;
}

export interface ImportReport {
  /** Absent if the files were not recognised. */
  format?: string;
  format_name?: string;
  flows: { name: string; text: string }[];
  nodes: ReportedNode[];
  diagnostics: ImportProblem[];
  findings: ImportProblem[];
}

const MAX_FILES = 20;
const MAX_FILE_BYTES = 2_000_000;
/** The service takes a little more, with the escapes of JSON. */
const MAX_BYTES = 3_000_000;

export const importFlows = (files: readonly FileToImport[], name?: string): Promise<ImportReport> =>
  request<ImportReport & Record<string, never>>('/admin/v1/flows/import', {
    method: 'POST',
    json: { files, ...(name !== undefined && { name }) },
  });

/** Reason why files are not sent. Undefined if they may be. */
export function refusalOfFiles(files: readonly { name: string; size: number }[]): string | undefined {
  if (files.length === 0) return t('There is no file.');
  if (files.length > MAX_FILES)
    return t('At most {most} files at once; these are {count}.', { most: MAX_FILES, count: files.length });
  const big = files.find(({ size }) => size > MAX_FILE_BYTES);
  if (big !== undefined) return t('{name} is larger than 2 MB.', { name: big.name });
  return files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES ? t('The files are larger than 3 MB.') : undefined;
}

export const FIDELITY_WORDS: Readonly<Record<Exclude<NodeFidelity, 'none'>, string>> = {
  exact: t('exact'),
  workaround: t('nearly the same'),
  todo: t('to do by hand'),
};

export interface FidelityCount {
  fidelity: keyof typeof FIDELITY_WORDS;
  count: number;
}

/** Nodes of each fidelity. Nodes without a meaning in a call are not counted. */
export const countsOf = (nodes: readonly ReportedNode[]): FidelityCount[] =>
  (Object.keys(FIDELITY_WORDS) as FidelityCount['fidelity'][]).map((fidelity) => ({
    fidelity,
    count: nodes.filter((node) => node.fidelity === fidelity).length,
  }));

/** Nodes that differ from their source: first what is to do. */
export const differing = (nodes: readonly ReportedNode[]): ReportedNode[] =>
  nodes
    .filter(({ fidelity }) => fidelity === 'todo' || fidelity === 'workaround')
    .sort((one, other) => Number(other.fidelity === 'todo') - Number(one.fidelity === 'todo'));

/** Why there is no flow, in a sentence. */
export function whyNothing({ diagnostics }: ImportReport): string {
  const [first] = diagnostics.filter(({ severity }) => severity === 'error');
  if (first === undefined) return t('The files contain no flow.');
  if (first.code === 'unknown-format') return t('{file} is not a format that can be imported.', { file: first.file });
  return t('{file}, line {line}: {message}.', { file: first.file, line: first.line, message: first.message });
}
