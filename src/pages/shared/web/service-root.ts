/**
 * Path prefix of this service: empty, or a prefix such as `/cw` that a proxy removes. It is derived from the URL of the
 * running script, because files of a page are served from `{root}/{page}/assets/`.
 */
export const SERVICE_ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');

/** URL of a path of the service, such as `/voice/v1/call`. */
export const addressAtService = (path: string): string => SERVICE_ROOT + path;
