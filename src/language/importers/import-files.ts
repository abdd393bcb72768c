/**
 * Imports files of other systems: detects the format, converts the files to flows, and checks the result. For a flow
 * that `check` rejects, the report names the `todo` steps that cause it.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Diagnostic, hasErrors } from '../../base/core/diagnostic.ts';
import { reasonOf } from '../../base/core/reason-of.ts';
import { errorAt, startOf } from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import { compileLoaded } from '../flow/compile.ts';
import type { CompiledFlow, VerbSpec } from '../flow/compiled-flow.ts';
import { importConnect, isConnect } from './connect.ts';
import { FidelityReport, TooManyNodes } from './fidelity.ts';
import type { ImportContext } from './import-context.ts';
import {
  FORMATS,
  type Format,
  type Imported,
  type ImportedFlow,
  type ImportOptions,
  type SourceFile,
} from './imported.ts';
import { importJambonz, isJambonz, isNodeRed } from './jambonz.ts';
import { withoutRemarks } from './json-remarks.ts';
import { importNcco, isNcco } from './ncco.ts';
import { importStudio, isStudio } from './studio.ts';
import { importSwml, isSwml } from './swml.ts';
import { importTwiml, isTwiml } from './twiml.ts';
import { importVxml, isVxml } from './vxml.ts';

interface Importer {
  format: Format;
  /** True if a text looks like this format. */
  recognises(text: string): boolean;
  run(sources: readonly SourceFile[], context: ImportContext): Imported;
}

export const IMPORTERS: readonly Importer[] = [
  { format: 'twiml', recognises: isTwiml, run: importTwiml },
  { format: 'twilio-studio', recognises: isStudio, run: importStudio },
  { format: 'amazon-connect', recognises: isConnect, run: importConnect },
  { format: 'ncco', recognises: isNcco, run: importNcco },
  { format: 'jambonz', recognises: isJambonz, run: importJambonz },
  { format: 'swml', recognises: isSwml, run: importSwml },
  { format: 'voicexml', recognises: isVxml, run: importVxml },
];

/** Files that are recognised, but hold no flow that can be imported. */
const RELATED: readonly { recognises(text: string): boolean; message: string; hint: string }[] = [
  {
    recognises: isNodeRed,
    message: 'this is a flow of Node-RED with nodes of jambonz: its program makes the verbs while a call runs',
    hint: 'Call the webhook of the flow, save each answer (a JSON list of verbs) as a file, and import these files.',
  },
];

export interface CheckedImport extends Omit<Imported, 'flows'> {
  flows: ImportedFlow[];
  /** Diagnostics of `check` for the flows. */
  findings: Diagnostic[];
  /** Flows without errors other than `todo` steps. */
  compiled: CompiledFlow[];
}

export type ImportResult = CheckedImport | { format?: undefined; diagnostics: Diagnostic[] };

export interface CheckedImportOptions extends ImportOptions {
  /** Verbs with which the flows are checked. */
  verbs: readonly VerbSpec[];
}

/** `format` is for texts that match several formats. Several files become one flow if their format links them. */
export function importFiles(
  files: readonly SourceFile[],
  options: CheckedImportOptions,
  format?: Format,
): ImportResult {
  const sources = files.map(({ file, text }) => ({ file, text: withoutRemarks(text) }));
  const [first] = sources;
  if (first === undefined) return { diagnostics: [] };
  const importer = IMPORTERS.find((each) =>
    format === undefined ? each.recognises(first.text) : each.format === format,
  );
  if (importer === undefined) return { diagnostics: [unknownFormat(first)] };
  const { verbs, folder = '.' } = options;
  const report = new FidelityReport();
  const imported = attempt(
    importer,
    sources,
    () => ({ ...options, report, sounds: soundsIn(join(folder, 'prompts')) }),
    report,
  );
  if ('refused' in imported) return { diagnostics: [imported.refused] };
  if (!hasErrors(imported.diagnostics)) imported.diagnostics.push(...report.settle());
  for (const { limited } of imported.flows) for (const [step, notes] of limited) report.limit(step, notes);
  const compilations = imported.flows.map(({ name, text }) => {
    const file = join(folder, `${name}.flow.yaml`);
    return compileLoaded(loadDocument(text, file), file, verbs, { withTodos: true });
  });
  return {
    ...imported,
    flows: imported.flows.map(({ name, text }) => ({ name, text })),
    findings: compilations.flatMap(({ diagnostics }) => diagnostics),
    compiled: compilations.flatMap(({ flow }) => flow ?? []),
  };
}

function unknownFormat({ file, text }: SourceFile): Diagnostic {
  const start = startOf(file);
  for (const { recognises, message, hint } of RELATED) {
    if (recognises(text)) return errorAt(start, 'unknown-format', message, hint);
  }
  const known = Object.values(FORMATS).join(', ');
  const hint = `it takes ${known}; --format says which`;
  return errorAt(start, 'unknown-format', 'this is not a format that can be imported', hint);
}

/** A failure of an importer is an error at the node that it was converting, never a crash of the command. */
function attempt(
  { format, run }: Importer,
  sources: readonly SourceFile[],
  contextOf: () => ImportContext,
  report: FidelityReport,
): Imported | { refused: Diagnostic } {
  try {
    return run(sources, contextOf());
  } catch (error) {
    if (error instanceof TooManyNodes) {
      const hint = 'Import it in parts: flows call each other with `subflow`';
      return { refused: errorAt(error.at, 'too-big', error.message, hint) };
    }
    const { file, line, column } = report.at ?? startOf(sources[0]!.file);
    const message = `the importer of ${FORMATS[format]} failed here: ${reasonOf(error).slice(0, 300)}`;
    const hint = 'This is a fault of Callweave. Report it to its authors, with this message and the file.';
    return { refused: errorAt({ file, line, column }, 'importer-failed', message, hint) };
  }
}

const soundsIn = (folder: string): ReadonlySet<string> => new Set(existsSync(folder) ? readdirSync(folder) : []);
