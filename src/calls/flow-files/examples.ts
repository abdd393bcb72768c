/** The flows of the examples that come with the program: new flows begin from them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nameInText } from './find-flows.ts';

export interface Example {
  /** Of its flow. */
  name: string;
  /** As its README is headed. */
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

async function examplesIn(folder: string): Promise<Example[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.flow.yaml')).sort();
  const readme = await readFile(join(folder, 'README.md'), 'utf8').catch(() => '');
  const heading = /^# (?:\d+\. )?(.+)$/m.exec(readme)?.[1];
  return Promise.all(
    files.map(async (file) => {
      const text = withoutEditorLine(await readFile(join(folder, file), 'utf8'));
      const name = nameInText(text) ?? file.replace(/\.flow\.yaml$/, '');
      return { name, title: heading ?? name, text };
    }),
  );
}

/** It leads to the schema from the folder of the example alone. */
const withoutEditorLine = (text: string): string => text.replace(/^# yaml-language-server:.*\r?\n/, '');
