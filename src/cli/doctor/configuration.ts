/**
 * Checks the configuration and everything it refers to, with the same checks as at start: the flows of numbers must
 * compile, or an earlier version must be live.
 */
import { join, resolve } from 'node:path';
import { compileEarlierFlows } from '../../app/earlier-flows.ts';
import { ConfigurationError } from '../../app/errors.ts';
import { flowNames, loadFlows } from '../../app/load-flows.ts';
import { systemClock } from '../../base/core/clock.ts';
import type { Diagnostic } from '../../base/core/diagnostic.ts';
import type { Config } from '../../config.ts';
import { lookAtFlows } from '../../service/store/sqlite/look-at-flows.ts';
import { databaseFile } from '../../service/store/sqlite/open-data-directory.ts';
import { displayPath } from '../find-files.ts';
import { type DoctorResult, failed, ok, warning } from './finding.ts';

const SUBJECT = 'configuration';

export const checkConfiguration = (config: Config): Promise<DoctorResult[]> =>
  lookAtFlows(databaseFile(config), async ({ versions, schedules }) => {
    const promptDirectory = join(resolve(config.dataDirectory), 'prompts');
    const earlier: DoctorResult[] = [];
    try {
      await loadFlows(config, {
        names: flowNames(config, { promptDirectory, kept: schedules }),
        clock: systemClock,
        mend(library) {
          for (const { flow, file } of compileEarlierFlows(library, versions)) {
            const found = `${displayPath(file)} has errors: calls use the previous version of ${flow}`;
            earlier.push(warning(SUBJECT, found, 'callweave check lists them'));
          }
        },
      });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return error.diagnostics.map(refusal);
    }
    return [ok(SUBJECT, config.file === undefined ? 'the demo' : displayPath(config.file)), ...earlier];
  });

export function refusal({ file, line, message, hint }: Diagnostic): DoctorResult {
  return failed(SUBJECT, `${displayPath(file)}:${line}: ${message}`, hint ?? 'callweave start lists all of it');
}
