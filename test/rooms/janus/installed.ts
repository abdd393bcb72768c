/** Janus for tests: whether it is installed, and an address for it. It does not use loopback addresses. */
import { networkInterfaces } from 'node:os';
import { type Program, program } from '../../programs.ts';

/** Of this machine; undefined: it has none but loopback. */
export const JANUS_ADDRESS = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const installed = program('janus');

/** For tests of its media. */
export const janusWithMedia: Program =
  installed.missing || JANUS_ADDRESS !== undefined
    ? installed
    : { missing: true, why: ' (skipped: this machine has loopback addresses only, which Janus does not use)' };
