/** The flows that are shipped, their graphs, and generated ones of any size. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { type FlowGraph, graphOf } from '../../../src/language/flow/graph.ts';
import { graphLanguageOf } from '../../../src/language/flow/graph-language.ts';
import { verbs } from '../../../src/verbs/steps.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const language = graphLanguageOf(verbs);

export const shippedFiles: readonly string[] = ['flows', 'examples'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.flow.yaml'))
    .sort()
    .map((file) => join(folder, file)),
);

export const pathOf = (file: string): string => join(root, file);
export const textOf = (file: string): string => readFileSync(pathOf(file), 'utf8');

/** Reads a text as the browser does, also with errors. */
export const documentIn = (text: string): unknown =>
  parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, logLevel: 'silent' }).toJS();
export const graphIn = (text: string): FlowGraph => graphOf(documentIn(text), { verbs: language });
