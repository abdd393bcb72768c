/** Preconditions `If-Match` and `If-None-Match` (RFC 9110 §13.1) of routes that change a resource. */
import type { Precondition } from '../calls/flow-files/precondition.ts';
import { ApiError } from './api-error.ts';
import { badRequest } from './body-reader.ts';

const MAX_LENGTH = 1000;

/** Throws `precondition_required` if neither header is present. */
export function preconditionOf(header: (name: string) => string | undefined): Precondition {
  const [match, noneMatch] = [header('if-match')?.trim(), header('if-none-match')?.trim()];
  if (match !== undefined && noneMatch === undefined) return match === '*' ? 'any' : etagsIn(match);
  if (match === undefined && noneMatch === '*') return 'none';
  if (match !== undefined || noneMatch !== undefined)
    throw badRequest('send either If-Match with an ETag, or If-None-Match: *');
  throw new ApiError('precondition_required', 'If-Match or If-None-Match is required', {
    hint: 'send the header If-Match with the ETag of the resource; to create one, send If-None-Match: *',
  });
}

function etagsIn(header: string): string[] {
  if (header.length > MAX_LENGTH) throw badRequest('If-Match is too long');
  return header.split(',').map((each) => each.trim().replace(/^(W\/)?"(.*)"$/, '$2'));
}
