/** Example flows of the program, as templates for new flows, and templates of several steps. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nameInText } from './find-flows.ts';

export interface Example {
  /** Name of its flow. */
  name: string;
  /** Heading of the README; the flow's name if the README covers several flows. */
  title: string;
  text: string;
}

/** Examples in the order of their folders. Empty if the program was installed without examples. */
export async function readExamples(directory: string): Promise<Example[]> {
  const folders = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const names = folders.filter((each) => each.isDirectory()).map(({ name }) => name);
  const found = await Promise.all(names.sort().map((name) => examplesIn(join(directory, name))));
  return found.flat();
}

export interface TemplateFile {
  /** Name of its flow. */
  name: string;
  text: string;
}

/** Flows with the key `template`, whose steps the studio inserts into other flows. */
export async function readTemplates(directory: string): Promise<TemplateFile[]> {
  const files = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.flow.yaml')).sort();
  return Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.flow\.yaml$/, ''),
      text: withoutEditorLine(await readFile(join(directory, file), 'utf8')),
    })),
  );
}

/** Skips flows that need other files, because their text alone would not compile. */
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

/** Removes the editor's schema line, whose path is relative to the example's folder. */
const withoutEditorLine = (text: string): string => text.replace(/^# yaml-language-server:.*\r?\n/, '');
