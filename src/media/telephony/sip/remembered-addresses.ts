/**
 * Addresses of SIP messages, each parsed once: the messages of a call repeat them, and so do the calls of a carrier.
 * Only for texts of messages of usual size, because a remembered text keeps its whole message in memory.
 */
import { remembered } from '../../../base/core/remembered.ts';
import { parseNameAddress } from './headers.ts';
import { parseUri } from './uri.ts';

const MAX_REMEMBERED = 2000;

/** Characters of the header of a message whose addresses may be remembered. */
export const MAX_USUAL_HEAD = 2000;

/** Like `parseNameAddress`. */
export const rememberedNameAddress = remembered(parseNameAddress, MAX_REMEMBERED);

/** Like `parseUri`. */
export const rememberedUri = remembered(parseUri, MAX_REMEMBERED);
