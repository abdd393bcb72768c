/** Import of flows of other systems, and the port through which it runs off the call path. */
import type { JsonObject } from '../../../base/core/json.ts';
import type { WorkOptions } from './flow-check.ts';

export interface ImportJob {
  files: readonly { file: string; text: string }[];
  /** Name of the flow. Default: name of the first file. */
  name?: string;
  /** Format of the files. Default: recognised by their content. */
  format?: string;
  /** Directory of flows, whose sounds the new flow may play. */
  directory: string;
}

/** Returns the report in the format of the API. */
export type ImportFlows = (job: ImportJob, options?: WorkOptions) => Promise<JsonObject>;
