/**
 * Messages between a room and its browsers. `npm run types` generates them from `schemas/rooms` next to the browser's
 * client, which is published with them; the service imports them from here only.
 */
export type * from '../../../client/messages.d.ts';
