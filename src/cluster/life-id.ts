/** The id of a process' life: machine, process and chance. A process that starts again has another, so that nothing of the one before is taken for its own. */
import { hostname } from 'node:os';
import { drawBytes } from '../core/ids.ts';

const RANDOM_BYTES = 6;

export const lifeId = (): string => `${hostname()}-${process.pid}-${drawBytes(RANDOM_BYTES).toString('hex')}`;
