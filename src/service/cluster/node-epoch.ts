/**
 * Epoch id of a process: host name, process id and random bytes. A restarted process has another one, so that it does
 * not claim data of its predecessor.
 */
import { hostname } from 'node:os';
import { drawBytes } from '../../base/core/ids.ts';

const RANDOM_BYTES = 6;

export const nodeEpoch = (): string => `${hostname()}-${process.pid}-${drawBytes(RANDOM_BYTES).toString('hex')}`;
