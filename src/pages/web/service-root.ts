/**
 * The path below which this service is reached. It is empty, or a prefix such as `/cw` that a proxy removes. The address of
 * the running script tells it: files of a page are served from `{root}/{page}/assets/`.
 */
export const SERVICE_ROOT = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');

/** The address of a path of the service, such as `/voice/v1/call`. */
export const addressAtService = (path: string): string => SERVICE_ROOT + path;
