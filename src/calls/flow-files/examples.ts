/** The flows of the examples that come with the program: new flows begin from them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nameInText } from './find-flows.ts';

export interface Example {
  /** Of its flow. */
  name: string;
  /** As its README is headed; its name where that is about several. */
  title: string;
  text: string;
}

/** In the order of their folders; none where the program came without them. */
export async function readExamples(directory: string): Promise<Example[]> {
  const folders = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const names = folders.filter((each) => each.isDirectory()).map(({ name }) => name);
  const found = await Promise.all(names.sort().map((name) => examplesIn(join(directory, name))));
  return found.flat();
}

/** Flows that need files beside them are left out: their text alone would be none. */
async function examplesIn(folder: string): Promise<Example[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  if (entries.some((each) => each.isDirectory())) return [];
  const files = entries
    .map(({ name }) => name)
    .filter((name) => name.endsWith('.flow.yaml'))
    .sort();
  const readme = await readFile(join(folder, 'README.md'), 'utf8').catch(() => '');
  const heading = /^# (?:\d+\. )?(.+)$/m.exec(readme)?.[1];
  return Promise.all(
    files.map(async (file) => {
      const text = withoutEditorLine(await readFile(join(folder, file), 'utf8'));
      const name = nameInText(text) ?? file.replace(/\.flow\.yaml$/, '');
      return { name, title: heading === undefined || files.length > 1 ? name : heading, text };
    }),
  );
}

/** It leads to the schema from the folder of the example alone. */
const withoutEditorLine = (text: string): string => text.replace(/^# yaml-language-server:.*\r?\n/, '');
