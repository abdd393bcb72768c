/**
 * Imports files of other systems: detects the format, converts the files to flows, and checks the result. For a flow
 * that `check` rejects, the report names the `todo` steps that cause it.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import { errorAt, startOf } from '../../base/schema/document.ts';
import { loadDocument } from '../../base/schema/load.ts';
import { compileLoaded } from '../flow/compile.ts';
import type { CompiledFlow, VerbSpec } from '../flow/compiled-flow.ts';
import { importConnect, isConnect } from './connect.ts';
import { TooManyNodes } from './fidelity.ts';
import type { Format, ImportContext, Imported, ImportOptions, SourceFile } from './imported.ts';
import { importJambonz, isJambonz } from './jambonz.ts';
import { importNcco, isNcco } from './ncco.ts';
import { importStudio, isStudio } from './studio.ts';
import { importSwml, isSwml } from './swml.ts';
import { importTwiml, isTwiml } from './twiml.ts';
import { importVxml, isVxml } from './vxml.ts';

interface Importer {
  format: Format;
  /** Display name. */
  title: string;
  /** True if a text looks like this format. */
  recognises(text: string): boolean;
  run(sources: readonly SourceFile[], context: ImportContext): Imported;
}

export const IMPORTERS: readonly Importer[] = [
  { format: 'twiml', title: 'TwiML', recognises: isTwiml, run: importTwiml },
  { format: 'twilio-studio', title: 'Twilio Studio', recognises: isStudio, run: importStudio },
  { format: 'amazon-connect', title: 'Amazon Connect', recognises: isConnect, run: importConnect },
  { format: 'ncco', title: 'NCCO (Vonage)', recognises: isNcco, run: importNcco },
  { format: 'jambonz', title: 'jambonz', recognises: isJambonz, run: importJambonz },
  { format: 'swml', title: 'SWML (SignalWire)', recognises: isSwml, run: importSwml },
  { format: 'voicexml', title: 'VoiceXML', recognises: isVxml, run: importVxml },
];

export interface CheckedImport extends Imported {
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
  sources: readonly SourceFile[],
  options: CheckedImportOptions,
  format?: Format,
): ImportResult {
  const [first] = sources;
  if (first === undefined) return { diagnostics: [] };
  const importer = IMPORTERS.find((each) =>
    format === undefined ? each.recognises(first.text) : each.format === format,
  );
  if (importer === undefined) {
    const known = IMPORTERS.map(({ title }) => title).join(', ');
    const hint = `it takes ${known}; --format says which`;
    return {
      diagnostics: [errorAt(startOf(first.file), 'unknown-format', 'this is not a format that can be imported', hint)],
    };
  }
  const { verbs, folder = '.' } = options;
  const imported = attempt(() => importer.run(sources, { ...options, sounds: soundsIn(join(folder, 'prompts')) }));
  if ('refused' in imported) return { diagnostics: [imported.refused] };
  const compilations = imported.flows.map(({ name, text }) => {
    const file = join(folder, `${name}.flow.yaml`);
    return compileLoaded(loadDocument(text, file), file, verbs, { withTodos: true });
  });
  return {
    ...imported,
    findings: compilations.flatMap(({ diagnostics }) => diagnostics),
    compiled: compilations.flatMap(({ flow }) => flow ?? []),
  };
}

function attempt<Made extends object>(work: () => Made): Made | { refused: Diagnostic } {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TooManyNodes)) throw error;
    const hint = 'Import it in parts: flows call each other with `subflow`';
    return { refused: errorAt(error.at, 'too-big', error.message, hint) };
  }
}

const soundsIn = (folder: string): ReadonlySet<string> => new Set(existsSync(folder) ? readdirSync(folder) : []);
