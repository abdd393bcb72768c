/** Types of `look.js`. */
import type { ServerMessages } from './messages.js';

export function look(url: string, token: string, options?: { roomId?: string }): Promise<ServerMessages['invited']>;
export function hold(url: string, resumeKey: string): Promise<ServerMessages['held']>;
export function sendFeedback(
  url: string,
  resumeKey: string,
  feedback: { rating: number; text?: string },
): Promise<ServerMessages['thanks']>;
