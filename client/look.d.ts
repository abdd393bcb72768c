/** Types of `look.js`. */
import type { Invited } from './room-client.js';

export function look(url: string, token: string, options?: { roomId?: string }): Promise<Invited>;
