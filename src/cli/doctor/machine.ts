/** Checks the machine: Node version, disk space, open files, clock, and the advertised address. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import ipaddr from 'ipaddr.js';
import { reasonOf } from '../../base/core/reason-of.ts';
import type { SipConfig } from '../../config/sip-config.ts';
import { mayRaiseAudioPriority } from '../../media/telephony/media/audio-priority.ts';
import { isWildcard } from '../../media/telephony/wildcard.ts';
import { type DoctorResult, failed, ok, warning } from './finding.ts';

const NEEDED_NODE = 24;
const GIB = 2 ** 30;
/** Space for a day of recordings of a busy line, and the minimum for the database. */
const ENOUGH_BYTES = 2 * GIB;
const LEAST_BYTES = GIB / 4;
/** Sockets for both legs of a call, and its recording. */
const FILES_PER_CALL = 5;
const FILES_OF_SERVICE = 200;

export function checkNode(version: string): DoctorResult {
  const isEnough = Number.parseInt(version, 10) >= NEEDED_NODE;
  const remedy = `install Node ${NEEDED_NODE} or later from https://nodejs.org`;
  return isEnough ? ok('Node', version) : failed('Node', `${version} is too old`, remedy);
}

export function checkData(directory: string): DoctorResult {
  const subject = 'data directory';
  let there = directory;
  while (!existsSync(there)) there = dirname(there);
  try {
    accessSync(there, constants.W_OK);
    const { bavail, bsize } = statfsSync(there);
    return checkSpace(directory, bavail * bsize);
  } catch (error) {
    return failed(subject, reasonOf(error), 'allow the user of the service to write there, or set data_directory');
  }
}

export function checkSpace(directory: string, freeBytes: number): DoctorResult {
  const found = `${directory}, ${(freeBytes / GIB).toFixed(1)} GB free`;
  const remedy = 'free some space, or keep calls and recordings for fewer days (limits.keep_recordings_days)';
  if (freeBytes < LEAST_BYTES) return failed('data directory', found, remedy);
  return freeBytes < ENOUGH_BYTES ? warning('data directory', found, remedy) : ok('data directory', found);
}

/** Reads the hard limit from the system, because Node raises its soft limit to it, as it does for the service. */
export function checkOpenFiles(calls: number): DoctorResult {
  const limits = existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : '';
  const [, limit] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  return checkFileLimit(limit === undefined || limit === 'unlimited' ? undefined : Number(limit), calls);
}

export function checkFileLimit(limit: number | undefined, calls: number): DoctorResult {
  if (limit === undefined) return ok('open files', 'limit unknown');
  const needed = FILES_OF_SERVICE + FILES_PER_CALL * calls;
  const found = `${limit}, of which ${calls} calls may need ${needed}`;
  return limit >= needed
    ? ok('open files', found)
    : warning('open files', found, 'set LimitNOFILE=65536, or ulimit -n');
}

export function checkPriority(mayRaise = mayRaiseAudioPriority()): DoctorResult {
  const remedy = 'set LimitNICE=-10 in the unit, ulimits: { nice: 30 } of the container, or ulimit -e 30';
  return mayRaise
    ? ok('priority', 'audio threads have a raised priority')
    : warning('priority', 'audio threads have normal priority: audio can stutter while this machine is busy', remedy);
}

export function checkClock(): DoctorResult {
  const asked = spawnSync('timedatectl', ['show', '--property', 'NTPSynchronized', '--value'], { encoding: 'utf8' });
  const answer = asked.status === 0 ? asked.stdout.trim() : undefined;
  if (answer === 'yes') return ok('clock', 'is synchronised');
  if (answer !== 'no') return ok('clock', 'synchronisation state unknown');
  return warning(
    'clock',
    'is not synchronised',
    'install chrony: records, opening hours and tokens depend on the time',
  );
}

/** Checks that senders can reach the addresses advertised in SIP and SDP. */
export function checkAddress({
  host,
  advertisedHost,
  routes,
}: Pick<SipConfig, 'host' | 'advertisedHost' | 'routes'>): DoctorResult {
  const subject = 'public address';
  if (advertisedHost !== undefined) return ok(subject, `${advertisedHost}, set by sip.advertised_host`);
  const used = isWildcard(host) ? ownAddresses() : [host];
  const ranges = used.filter((each) => ipaddr.isValid(each)).map((each) => ipaddr.parse(each).range());
  const text = used.join(', ');
  if (ranges.includes('unicast')) return ok(subject, text);
  if (ranges.every((range) => range === 'loopback')) {
    const found = `${text} is reachable from this machine only`;
    const remedy = 'set sip.host to an address that carriers and phones can reach';
    return routes.length === 0 ? ok(subject, found) : warning(subject, found, remedy);
  }
  const found = `${text} is in a private network`;
  const remedy = 'set sip.advertised_host to the public address, unless all peers are in this network';
  return routes.length === 0 ? ok(subject, found) : warning(subject, found, remedy);
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each = []) =>
    each.filter(({ internal }) => !internal).map(({ address }) => address),
  );
