/** Finds a program of the system by its file, without running it, because that would take longer. */
import { access, constants } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';

/** Path of the program. Undefined if it is in none of the folders. */
export async function findProgram(name: string, folders: readonly string[]): Promise<string | undefined> {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const paths = isAbsolute(name) ? [name] : folders.map((folder) => join(folder, file));
  const looks = paths.map((path) => access(path, constants.X_OK).then(() => path));
  return Promise.any(looks).catch(() => undefined);
}
