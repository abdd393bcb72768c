/** Converts files of other systems to flows, for the studio. Nothing is saved. */
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import { defined, type JsonObject } from '../../base/core/json.ts';
import { FORMATS, type Format, type ImportedNode } from '../../language/importers/imported.ts';
import type { ImportJob } from '../../service/calls/flow-files/flow-import.ts';
import { verbs } from '../../verbs/steps.ts';

export async function importFlows({ files, name, format, directory }: ImportJob): Promise<JsonObject> {
  // Loaded on first use, because the thread starts for each check of a flow.
  const { importFiles } = await import('../../language/importers/import-files.ts');
  const made = importFiles(files, { verbs, name, folder: directory }, format as Format | undefined);
  const diagnostics = made.diagnostics.map(plain);
  if (made.format === undefined) return { diagnostics, flows: [], nodes: [], findings: [] };
  return {
    format: made.format,
    format_name: FORMATS[made.format],
    flows: made.flows.map((flow) => ({ ...flow })),
    nodes: made.nodes.map(nodeBody),
    diagnostics,
    findings: made.findings.map(plain),
  };
}

const nodeBody = ({ kind, name, file, line, column, fidelity, steps, notes }: ImportedNode): JsonObject =>
  defined({ kind, name, file, line, column, fidelity, steps, notes });

const plain = ({ severity, code, message, file, line, column, hint }: Diagnostic): JsonObject =>
  defined({ severity, code, message, file, line, column, hint });
