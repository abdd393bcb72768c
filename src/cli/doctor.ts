/**
 * `callweave doctor`: checks what the machine needs for the configuration, and prints remedies. It changes nothing. It
 * only contacts the running service, Redis and the nodes of the cluster, and the configured Asterisk. The checks are in
 * `doctor/`: `configuration.ts`, `service.ts`, `machine.ts`, `ports.ts`, `parts.ts`, `asterisk.ts` and `cluster.ts`.
 */
import { systemClock } from '../base/core/clock.ts';
import { defined } from '../base/core/json.ts';
import { programFolders, readConfig } from '../config.ts';
import type { CommonOptions } from './config-option.ts';
import { checkAsterisk } from './doctor/asterisk.ts';
import { checkCluster } from './doctor/cluster.ts';
import { checkConfiguration, refusal } from './doctor/configuration.ts';
import type { DoctorResult } from './doctor/finding.ts';
import { checkAddress, checkClock, checkData, checkNode, checkOpenFiles, checkPriority } from './doctor/machine.ts';
import { checkCertificates, checkRecognition, checkRooms, checkVoices } from './doctor/parts.ts';
import { checkPorts } from './doctor/ports.ts';
import { checkService } from './doctor/service.ts';
import { ownCommand } from './own-command.ts';
import { countOf, type Style, type Terminal } from './terminal.ts';

const STYLES: Readonly<Record<DoctorResult['state'], Style>> = { ok: 'green', warning: 'yellow', failed: 'red' };
const STATE_WIDTH = 9;
const SUBJECT_WIDTH = 16;

export async function doctor(options: CommonOptions, terminal: Terminal): Promise<void> {
  const findings = await examine(options);
  const failures = findings.filter(({ state }) => state === 'failed').length;
  if (failures > 0) terminal.fail(1);
  if (options.json) {
    terminal.printJson({ ok: failures === 0, findings });
    return;
  }
  for (const finding of findings) printFinding(finding, terminal);
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  terminal.print();
  if (failures > 0) terminal.print(`${countOf(failures, 'problem')} to fix before calls work`);
  if (warnings > 0) terminal.print(`${countOf(warnings, 'warning')}`);
  if (failures + warnings === 0) terminal.print('no problems found');
}

/** With an invalid configuration, runs only the checks that do not need one. */
async function examine({ config: file }: CommonOptions): Promise<DoctorResult[]> {
  const { config, diagnostics } = readConfig(defined({ file }));
  const ofMachine = [checkNode(process.versions.node), checkClock()];
  const [first] = diagnostics;
  if (!config) {
    return [...ofMachine, refusal(first!)];
  }
  const command = ownCommand();
  return [
    ...ofMachine,
    ...(await checkConfiguration(config)),
    ...(await checkService(config)),
    checkData(config.dataDirectory),
    ...(await checkPorts(config)),
    ...(config.asterisk ? [] : [checkAddress(config.sip)]),
    ...(await checkAsterisk(config.asterisk)),
    ...checkCertificates(config, systemClock.now()),
    checkOpenFiles(config.limits.calls),
    ...(config.asterisk ? [] : [checkPriority()]),
    checkVoices(config, command),
    checkRecognition(config, command),
    ...(await checkRooms(config, programFolders())),
    ...(await checkCluster(config)),
  ];
}

function printFinding({ subject, state, found, remedy }: DoctorResult, terminal: Terminal): void {
  const label = terminal.style(STYLES[state], state.padEnd(STATE_WIDTH));
  terminal.print(`${label}${subject.padEnd(SUBJECT_WIDTH)}${found}`);
  if (remedy !== undefined) terminal.print(`${' '.repeat(STATE_WIDTH + SUBJECT_WIDTH)}${remedy}`);
}
