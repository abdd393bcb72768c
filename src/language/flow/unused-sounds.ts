/**
 * Reports sound files in the prompts directories of flows that none of these flows plays, and truncated ones. All flows of a folder are
 * checked together, because several may share a directory. `prompts.ts` resolves names; `prompt-words.ts` lists the
 * names that steps may ask for.
 *
 * Invariant: no file is reported as unused if one of the flows does not compile: it may play any file.
 */
import { readdirSync } from 'node:fs';
import { dirname, extname, join, relative, sep } from 'node:path';
import { type Diagnostic, quoting } from '../../base/core/diagnostic.ts';
import { isObject, type Json } from '../../base/core/json.ts';
import { type Issue, keyIssue, toDiagnostic } from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import type { CompiledFlow, VerbSpec } from './compiled-flow.ts';
import type { LibraryFile } from './flow-library.ts';
import { isInside } from './path-containment.ts';
import { namesIn, promptsIn } from './prompt-words.ts';
import { SOUND_FILES } from './prompts.ts';

const MAX_NAMED = 5;

/** One finding for each directory, at the first flow that uses it. */
export function unusedSounds(sources: readonly LibraryFile[], verbs: readonly VerbSpec[]): Diagnostic[] {
  const places = new Map(verbs.map(({ verb, prompts }) => [verb, prompts]));
  if (sources.some(({ flow }) => flow === undefined)) return [];
  const flows = sources.flatMap(({ flow, locals = [], text }) =>
    [flow!, ...locals].map((each) => ({ flow: each, text, mayPlay: playedBy(each, places) })),
  );
  const known = new Set<string>();
  return flows.flatMap(({ flow, text }) => {
    const { directory } = flow.prompts;
    if (directory === undefined) return [];
    const files = soundsBelow(directory).filter((file) => !known.has(file));
    for (const file of files) known.add(file);
    const unused = files.filter((file) => !flows.some(({ mayPlay }) => mayPlay(file)));
    return unused.length === 0 ? [] : finding(flow, text, unused);
  });
}

function finding(flow: CompiledFlow, text: string, unused: readonly string[]): Diagnostic[] {
  const names = unused.slice(0, MAX_NAMED).map((sound) => relative(dirname(flow.file), sound));
  const more = unused.length > names.length ? ` and ${unused.length - names.length} more` : '';
  const message = `no flow plays ${quoting`${names}`}${more}`;
  return soundFinding(flow, text, (at) => keyIssue('unused-sound', at, message, 'remove what nothing plays'));
}

/**
 * Reports truncated files in the prompts directories of flows. `truncationOf` describes what a file lacks. Calls play
 * the sound that exists.
 */
export function truncatedSounds(
  sources: readonly LibraryFile[],
  truncationOf: (file: string) => string | undefined,
): Diagnostic[] {
  const known = new Set<string>();
  return sources.flatMap(({ flow, text }) => {
    if (flow?.prompts.directory === undefined) return [];
    const files = soundsBelow(flow.prompts.directory).filter((file) => !known.has(file));
    return files.flatMap((file) => {
      known.add(file);
      const why = truncationOf(file);
      if (why === undefined) return [];
      const message = `${quoting`${relative(dirname(flow.file), file)}`} is truncated: ${why}`;
      return soundFinding(flow, text, (at) => keyIssue('truncated-sound', at, message, 'copy or export it again'));
    });
  });
}

/** A finding about the sounds of a flow, unless the flow silences its code. */
function soundFinding({ file }: CompiledFlow, text: string, issueAt: (pointer: string) => Issue): Diagnostic[] {
  const { document } = loadDocument(text, file);
  const root = document && isObject(document.value) ? document.value : undefined;
  if (document === undefined || root === undefined) return [];
  const issue = issueAt(root['prompts'] === undefined ? '/flow' : '/prompts');
  const isSilenced = isObject(root['check']) && root['check'][issue.code] !== undefined;
  return isSilenced ? [] : [toDiagnostic(document, issue)];
}

/** Returns a test of whether a flow may play a file under any of its names. */
function playedBy(
  { prompts, steps, file: flowFile }: CompiledFlow,
  places: ReadonlyMap<string, readonly string[] | undefined>,
): (file: string) => boolean {
  const { directory, entries } = prompts;
  if (directory === undefined) return () => false;
  const written = [...steps.values()].flatMap(({ verb, args }) => promptsIn(places.get(verb), args));
  const mayAsk = namesIn([...written, entries as Json]);
  return (file) => {
    if (!isInside(file, directory)) return false;
    const [, ...inLocale] = relative(directory, file).split(sep);
    const paths = [relative(directory, file), inLocale.join('/'), relative(dirname(flowFile), file), file];
    const names = paths.filter((path) => path !== '').map((path) => path.replaceAll(sep, '/'));
    return names.some((name) =>
      [name, `./${name}`, name.slice(0, -extname(name).length)].some((candidate) => mayAsk(candidate)),
    );
  };
}

function soundsBelow(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((path) => SOUND_FILES.includes(extname(path)))
      .map((path) => join(directory, path))
      .sort();
  } catch {
    // The directory does not exist yet.
    return [];
  }
}
