/**
 * URL of a module that runs as a thread or a process: TypeScript in a clone, JavaScript in the installed package.
 * Needed because the compiler rewrites the extensions of imports only.
 */
import { extname } from 'node:path';

/** `from` is the `import.meta.url` of a module in the same folder; `name` has no extension. */
export const moduleBeside = (from: string, name: string): URL => new URL(`./${name}${extname(from)}`, from);
